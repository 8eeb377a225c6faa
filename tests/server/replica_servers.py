"""Two servers that replicate to each other, with a network between them that can be cut."""

import contextlib
import os
import signal
import socket
import threading
from collections.abc import Callable
from pathlib import Path
from time import monotonic, sleep
from typing import Any

from botocore.config import Config

from tests.server.conftest import boto_client
from tests.server.processes import ServerProcess

US, EU = "us-east-1", "eu-west-1"


class Gate:
    """A port that forwards connections to a server, until it is cut; the server may change its port."""

    def __init__(self) -> None:
        self.target: tuple[str, int] | None = None
        self.is_cut = False
        self._open: set[socket.socket] = set()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self) -> None:
        """Close all connections, and every new one."""
        self.is_cut = True
        for each in tuple(self._open):
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)

    def heal(self) -> None:
        """Forward again."""
        self.is_cut = False

    def close(self) -> None:
        """Stop forwarding for good."""
        self.cut()
        self._listener.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                threading.Thread(target=self._forward, args=(client,), daemon=True).start()

    def _forward(self, client: socket.socket) -> None:
        with contextlib.suppress(OSError), client:
            if self.is_cut or self.target is None:
                return
            with socket.create_connection(self.target) as server:
                self._open |= {client, server}
                other = threading.Thread(target=_pump, args=(server, client), daemon=True)
                other.start()
                _pump(client, server)
                other.join()
                self._open -= {client, server}


def _pump(source: socket.socket, target: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while data := source.recv(65536):
            target.sendall(data)
    with contextlib.suppress(OSError):
        target.shutdown(socket.SHUT_RDWR)


class Pair:
    """A server in each of two regions, with their data in files."""

    def __init__(self, directory: Path, *options: str, planted: str = "") -> None:
        """`planted` is Python code that plants a bug in both servers."""
        self._directory = directory
        self._options = options
        self._planted = planted
        self.gates = {US: Gate(), EU: Gate()}
        self._processes: dict[str, ServerProcess] = {}
        for region in (US, EU):
            self.start(region)

    def start(self, region: str) -> None:
        """Start the server of a region."""
        (other,) = {US, EU} - {region}
        process = ServerProcess(
            *("--on", str(self._directory / f"{region}.db"), "--region", region),
            *("--replica", f"{other}={self.gates[other].url}", *self._options),
            planted=self._planted,
        )
        process.__enter__()
        self._processes[region] = process
        self.gates[region].target = process.address

    def kill(self, region: str) -> None:
        """Kill a server at once, and start it again."""
        process = self._processes[region]
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        self.start(region)

    def client(self, region: str, **settings: Any) -> Any:
        """A boto3 client of a region, which does not repeat requests."""
        config = Config(retries={"total_max_attempts": 1}, connect_timeout=5, read_timeout=20)
        chosen = {"region_name": region, "config": config, **settings}
        return boto_client(self._processes[region], **chosen)

    def streams(self, region: str) -> Any:
        """A boto3 client for the streams of a region."""
        return boto_client(self._processes[region], "dynamodbstreams", region_name=region)

    def close(self) -> None:
        """Stop both servers."""
        for process in self._processes.values():
            process.stop()
        for gate in self.gates.values():
            gate.close()


def wait_until(is_met: Callable[[], bool], seconds: float = 60) -> None:
    """Wait for something that happens soon; the limit only ends a test that would wait for ever."""
    end = monotonic() + seconds
    while not is_met():
        assert monotonic() < end, "it did not happen"
        sleep(0.05)


def create_table(client: Any) -> None:
    """The table `music` in one region."""
    client.create_table(
        TableName="music",
        AttributeDefinitions=[{"AttributeName": "artist", "AttributeType": "S"}],
        KeySchema=[{"AttributeName": "artist", "KeyType": "HASH"}],
        BillingMode="PAY_PER_REQUEST",
    )


def create_replicated(pair: Pair, **settings: Any) -> None:
    """The table `music` in both regions."""
    us = pair.client(US, **settings)
    create_table(us)
    us.update_table(TableName="music", ReplicaUpdates=[{"Create": {"RegionName": EU}}])
    wait_until(lambda: statuses(us) == ["ACTIVE"])


def statuses(client: Any) -> list[str]:
    """The statuses of the replicas of `music`."""
    table = client.describe_table(TableName="music")["Table"]
    return [replica["ReplicaStatus"] for replica in table.get("Replicas", ())]


def songs(client: Any) -> dict[str, str]:
    """All items of `music`."""
    pages = client.get_paginator("scan").paginate(TableName="music", ConsistentRead=True)
    items = [item for page in pages for item in page["Items"]]
    return {item["artist"]["S"]: item["song"]["S"] for item in items}
