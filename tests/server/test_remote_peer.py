"""Remote peers: two servers replicate to each other, over signed requests, and lose nothing when they are killed."""

import random
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple

import pytest
from botocore.exceptions import BotoCoreError, ClientError

from tablewright.errors import ResourceNotFound, Unreachable
from tablewright.server.remote_peer import RemotePeer
from tests.server.conftest import boto_client
from tests.server.processes import ServerProcess
from tests.server.replica_servers import (
    EU,
    US,
    Pair,
    create_replicated,
    create_table,
    songs,
    statuses,
    wait_until,
)

ARTISTS = [f"artist-{number}" for number in range(12)]


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[Pair]:
    opened = Pair(tmp_path)
    yield opened
    opened.close()


def put(client: Any, artist: str, song: str) -> None:
    client.put_item(TableName="music", Item={"artist": {"S": artist}, "song": {"S": song}})


def test_two_servers_replicate_to_each_other(pair: Pair) -> None:
    create_replicated(pair)
    us, eu = pair.client(US), pair.client(EU)
    put(us, "nina", "sinnerman")
    put(eu, "miles", "so what")
    expected = {"nina": "sinnerman", "miles": "so what"}
    wait_until(lambda: songs(us) == songs(eu) == expected)
    us.delete_item(TableName="music", Key={"artist": {"S": "nina"}})
    wait_until(lambda: songs(eu) == {"miles": "so what"})
    us.update_table(TableName="music", ReplicaUpdates=[{"Delete": {"RegionName": EU}}])
    wait_until(lambda: eu.list_tables()["TableNames"] == [])
    wait_until(lambda: statuses(us) == [])


def test_regions_of_one_server_replicate_to_each_other() -> None:
    with ServerProcess("--memory") as server:
        us, eu = (boto_client(server, region_name=region) for region in (US, EU))
        create_table(us)
        put(us, "nina", "before")
        us.update_table(TableName="music", ReplicaUpdates=[{"Create": {"RegionName": EU}}])
        wait_until(lambda: statuses(us) == ["ACTIVE"])
        put(eu, "miles", "after")
        wait_until(lambda: songs(us) == songs(eu) == {"nina": "before", "miles": "after"})


def test_requests_between_servers_are_signed(tmp_path: Path) -> None:
    keys = tmp_path / "keys.ini"
    keys.write_text("[default]\naws_access_key_id = AKREPLICA\naws_secret_access_key = secret\n")
    keys.chmod(0o600)
    signed = {"aws_access_key_id": "AKREPLICA", "aws_secret_access_key": "secret"}
    pair = Pair(tmp_path, "--require-signatures", "--credentials", str(keys))
    try:
        create_replicated(pair, **signed)
        us, eu = pair.client(US, **signed), pair.client(EU, **signed)
        put(eu, "nina", "sinnerman")
        wait_until(lambda: songs(us) == {"nina": "sinnerman"})
        with pytest.raises(ClientError, match="--replica ap-south-1=URL"):
            us.update_table(TableName="music", ReplicaUpdates=[{"Create": {"RegionName": "ap-south-1"}}])
        assert statuses(us) == ["ACTIVE"]
        unknown = RemotePeer(pair.gates[US].url, US)
        with (
            closing(unknown),
            pytest.raises(Exception, match="security token included in the request is invalid"),
        ):
            unknown.call("ReadReplica", {"TableName": "music", "Group": "g", "Region": EU, "Number": 0})
    finally:
        pair.close()


def test_a_partition_delays_changes_and_loses_none(pair: Pair) -> None:
    create_replicated(pair)
    us, eu = pair.client(US), pair.client(EU)
    for gate in pair.gates.values():
        gate.cut()
    put(us, "nina", "us")
    put(eu, "miles", "eu")
    put(us, "john", "older")
    put(eu, "john", "newer")
    assert (songs(us), songs(eu)) == (
        {"nina": "us", "john": "older"},
        {"miles": "eu", "john": "newer"},
    )
    for gate in pair.gates.values():
        gate.heal()
    wait_until(lambda: songs(us) == songs(eu) == {"nina": "us", "miles": "eu", "john": "newer"})


def test_a_replica_is_created_when_the_other_server_comes_back(pair: Pair) -> None:
    us = pair.client(US)
    pair.gates[EU].cut()
    create_table(us)
    put(us, "nina", "before")
    us.update_table(TableName="music", ReplicaUpdates=[{"Create": {"RegionName": EU}}])
    assert statuses(us) == ["CREATING"]
    pair.gates[EU].heal()
    wait_until(lambda: statuses(us) == ["ACTIVE"])
    assert songs(pair.client(EU)) == {"nina": "before"}


def test_a_region_of_the_other_server_is_not_served(pair: Pair) -> None:
    wrong = pair.client(US, region_name=EU)
    with pytest.raises(
        ClientError, match=f"This server does not have the region {EU}: {pair.gates[EU].url} has"
    ):
        wrong.list_tables()


def test_errors_of_a_peer_and_of_the_network(pair: Pair) -> None:
    with closing(RemotePeer(pair.gates[EU].url, EU)) as peer:
        with pytest.raises(ResourceNotFound, match="Table: music not found"):
            peer.call("DescribeTable", {"TableName": "music"})
        pair.gates[EU].cut()
        with pytest.raises(Unreachable, match="cannot be reached"):
            peer.call("DescribeTable", {"TableName": "music"})
        pair.gates[EU].heal()
        with pytest.raises(ResourceNotFound):
            peer.call("DescribeTable", {"TableName": "music"})


class Write(NamedTuple):
    """One write of a writer, with the time before and after it."""

    region: str
    artist: str
    song: str | None
    start: float
    end: float
    is_acknowledged: bool


class Writer(threading.Thread):
    """Writes to one region until it is stopped, whatever happens to the server."""

    def __init__(self, pair: Pair, region: str, seed: int) -> None:
        super().__init__(daemon=True)
        self._pair = pair
        self._region = region
        self._random = random.Random(seed)
        self.stopped = threading.Event()
        self.writes: list[Write] = []

    def run(self) -> None:
        client = self._pair.client(self._region)
        while not self.stopped.is_set():
            artist = self._random.choice(ARTISTS)
            song = None if self._random.random() < 0.2 else f"{self._region}-{len(self.writes)}"
            start = monotonic()
            try:
                if song is None:
                    client.delete_item(TableName="music", Key={"artist": {"S": artist}})
                else:
                    put(client, artist, song)
                is_acknowledged = True
            except (BotoCoreError, ClientError):
                is_acknowledged = False
                client = self._pair.client(self._region)
            self.writes.append(Write(self._region, artist, song, start, monotonic(), is_acknowledged))


def run_writers(pair: Pair, kills: int, seed: int) -> list[Write]:
    """Write to both regions while servers are killed and the network is cut; return all writes."""
    source = random.Random(seed)
    writers = [Writer(pair, region, seed + number) for number, region in enumerate((US, EU))]
    for writer in writers:
        writer.start()
    for _ in range(kills):
        goal = {writer: len(writer.writes) + 20 for writer in writers}
        region = source.choice((US, EU))
        if source.random() < 0.5:
            pair.gates[region].cut()
        wait_until(lambda goal=goal: all(len(writer.writes) >= goal[writer] for writer in writers))  # type: ignore[misc]
        pair.kill(source.choice((US, EU)))
        pair.gates[region].heal()
    for writer in writers:
        writer.stopped.set()
    for writer in writers:
        writer.join()
    return [write for writer in writers for write in writer.writes]


def is_possible_winner(write: Write, writes: list[Write]) -> bool:
    """Whether no write that was acknowledged began after this one had ended."""
    return not any(other.is_acknowledged and other.start > write.end for other in writes)


def check_winners(final: dict[str, str], writes: list[Write]) -> None:
    """Every item has its newest write."""
    for artist in ARTISTS:
        of_artist = [write for write in writes if write.artist == artist]
        candidates = [write for write in of_artist if write.song == final.get(artist)]
        winners = [write for write in candidates if is_possible_winner(write, of_artist)]
        assert winners or not of_artist, f"{artist}: {final.get(artist)} is not the newest write"


def streamed(pair: Pair, region: str) -> list[str]:
    """The songs of all stream records of a region."""
    arn = pair.client(region).describe_table(TableName="music")["Table"]["LatestStreamArn"]
    streams, found = pair.streams(region), list[str]()
    (shard,) = streams.describe_stream(StreamArn=arn)["StreamDescription"]["Shards"]
    position = streams.get_shard_iterator(
        StreamArn=arn, ShardId=shard["ShardId"], ShardIteratorType="TRIM_HORIZON"
    )["ShardIterator"]
    while True:
        page = streams.get_records(ShardIterator=position)
        if not page["Records"]:
            return found
        images = [record["dynamodb"].get("NewImage") for record in page["Records"]]
        found += [image["song"]["S"] for image in images if image]
        position = page["NextShardIterator"]


def check_kills(pair: Pair, kills: int, seed: int, seconds: float = 60) -> None:
    create_replicated(pair)
    writes = run_writers(pair, kills, seed)
    us, eu = pair.client(US), pair.client(EU)
    wait_until(lambda: songs(us) == songs(eu), seconds)
    # Equal tables may still have changes of deleted items on their way: a last write arrives after them.
    for region, other in ((us, eu), (eu, us)):
        mark = f"end-{id(region)}"
        put(region, mark, mark)
        wait_until(lambda other=other, mark=mark: mark in songs(other), seconds)  # type: ignore[misc]
    final = {artist: song for artist, song in songs(us).items() if not artist.startswith("end-")}
    assert final == {artist: song for artist, song in songs(eu).items() if not artist.startswith("end-")}
    check_winners(final, writes)
    for region in (US, EU):
        seen = streamed(pair, region)
        assert len(seen) == len(set(seen)), f"{region} applied a change twice"
        assert any(song.startswith(US) for song in seen)
        assert any(song.startswith(EU) for song in seen)


def test_kills_and_partitions_lose_nothing_and_double_nothing(pair: Pair) -> None:
    check_kills(pair, kills=4, seed=1)


def test_kills_during_the_creation_and_deletion_of_a_replica(pair: Pair) -> None:
    us = pair.client(US)
    create_table(us)
    artists = [f"artist-{number}" for number in range(400)]
    for start in range(0, len(artists), 25):
        puts = [
            {"PutRequest": {"Item": {"artist": {"S": artist}, "song": {"S": "x" * 20_000}}}}
            for artist in artists[start : start + 25]
        ]
        us.batch_write_item(RequestItems={"music": puts})
    pair.gates[EU].cut()
    us.update_table(TableName="music", ReplicaUpdates=[{"Create": {"RegionName": EU}}])
    assert statuses(us) == ["CREATING"]
    pair.gates[EU].heal()
    for region in (EU, US, EU):
        pair.kill(region)
    wait_until(lambda: statuses(pair.client(US)) == ["ACTIVE"])
    us, eu = pair.client(US), pair.client(EU)
    assert {*songs(us)} == {*songs(eu)} == {*artists}
    put(eu, "last", "change")
    us.update_table(TableName="music", ReplicaUpdates=[{"Delete": {"RegionName": EU}}])
    for region in (US, EU):
        pair.kill(region)
    wait_until(lambda: statuses(pair.client(US)) == [])
    assert pair.client(EU).list_tables()["TableNames"] == []
    assert songs(pair.client(US))["last"] == "change"


OLDEST_WINS = """
import tablewright.engine.features.replicas.received_changes as received
from tablewright.engine.core.changes import ItemVersion

def plant(tx, table, change, apply=received._receive_change):
    key, version = received.b64decode(change["Key"]), ItemVersion(*change["Version"])
    current = received.entry_of(tx.rows, version_space(table), key)
    if current is not None and current.version <= version:
        return False
    return apply(tx, table, {**change, "Version": [1 << 60, version.region]})

received._receive_change = plant
"""
LOSES_CHANGES = """
import tablewright.engine.features.replicas.versions as pages

def plant(tx, table, number, reader, read=pages._changes):
    changes, number = read(tx, table, number, reader)
    return changes[1:], number

pages._changes = plant
"""


@pytest.mark.parametrize("planted", [OLDEST_WINS, LOSES_CHANGES], ids=["oldest wins", "loses changes"])
def test_a_planted_bug_is_found(tmp_path: Path, planted: str) -> None:
    pair = Pair(tmp_path, planted=planted)
    try:
        with pytest.raises(AssertionError):
            check_kills(pair, kills=1, seed=3, seconds=4)
    finally:
        pair.close()


@pytest.mark.soak
def test_many_kills_and_partitions_lose_nothing_and_double_nothing(pair: Pair) -> None:
    check_kills(pair, kills=200, seed=2)
