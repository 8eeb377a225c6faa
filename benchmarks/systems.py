"""The systems' own flows: the typed service on the embedded engine, against plain boto3 on every peer found here.

The dashboard of Student Hub (profile, progress and deadlines together) and the message of CollabHub (sent to three).
The requests that the service makes are recorded once, and sent again by a bare boto3 client: with no validation, no
entities and no authorization in between, that is the least that a hand-written version would do.
"""

import json
import re
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import count
from pathlib import Path
from typing import Any

from botocore import xform_name
from tablewright_systems.collabhub.design.users import Role
from tablewright_systems.collabhub.service import conversations, messages, users
from tablewright_systems.registry import System, find
from tablewright_systems.service.callers import Caller
from tablewright_systems.student_hub import samples
from tablewright_systems.student_hub.service.profiles import read_dashboard

from benchmarks.client import socket_client
from benchmarks.settings import Settings
from benchmarks.timing import compare, table
from benchmarks.wire.contestants import CONTESTANTS, Running
from tablewright import Repository, connect

# DynamoDB Local keeps a database for each key.
CREDENTIALS: dict[str, Any] = {
    "region": "us-east-1",
    "aws_access_key_id": "AKIDEXAMPLE",
    "aws_secret_access_key": "secret",
}
CALLS = 40
ROUNDS = 7

_ULID = re.compile("[0-9A-HJKMNP-TV-Z]{26}")

Recorded = list[tuple[str, dict[str, Any]]]
Flow = Callable[[], object]


class Recorder:
    """A connection that records its requests."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection
        self.calls: Recorded = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)

    def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        """Pass a request on."""
        self.calls.append((operation, request))
        reply: dict[str, Any] = self._connection.call(operation, request)
        return reply


def report(settings: Settings) -> Iterator[str]:
    """A table for each flow."""
    rounds = settings.rounds(ROUNDS)
    yield from _compared("student_hub", "The dashboard of Student Hub", _dashboard, _again, rounds)
    yield from _compared("collabhub", "A message of CollabHub, to three", _message, _another, rounds)


def _compared(
    name: str,
    title: str,
    prepare: Callable[[Repository], Flow],
    replay: Callable[[Any, Recorded], Flow],
    rounds: int,
) -> Iterator[str]:
    system = find(name)
    assert system is not None
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        flow = prepare(stack.enter_context(connect(system.design, environment=system.environment)))
        contestants = {"the service, in the process": flow}
        for contestant in CONTESTANTS:
            if contestant.is_ours or contestant.absence():
                continue
            running = stack.enter_context(Running(contestant, Path(folder)))
            client = socket_client(*running.address)
            try:
                plain = replay(client, _recorded(system, running.address, prepare))
                plain()
            except Exception as error:
                yield f"Left out: {contestant.name}, as it cannot ({type(error).__name__}).\n"
                continue
            contestants[f"boto3 over a socket: {contestant.name}"] = plain
        yield table(title, compare(contestants, CALLS, rounds))
        (own,) = compare({"the service": flow}, CALLS, rounds, time.process_time)
        yield f"Processor time of the service: {own.microseconds:,.0f} µs a call.\n"


def _recorded(system: System, address: tuple[str, int], prepare: Callable[[Repository], Flow]) -> Recorded:
    """The flow's recorded requests, for a peer with the same data."""
    url = "http://{}:{}".format(*address)
    with connect(system.design, url, environment=system.environment, create=True, **CREDENTIALS) as far:
        recorder = Recorder(far.connection)
        db = connect(system.design, recorder, environment=system.environment)
        flow = prepare(db)
        recorder.calls.clear()
        flow()
    return recorder.calls


def _dashboard(db: Repository) -> Flow:
    samples.fill(db, 20)
    caller = Caller(samples.DEMO_USER)
    return lambda: read_dashboard(db, caller)


def _message(db: Repository) -> Flow:
    callers = [Caller(f"user-{number}", {"email": f"user-{number}@example.org"}) for number in range(3)]
    for caller in callers:
        registration = users.Registration(role=Role.TALENT, first_name="Ada", last_name=caller.user_id)
        users.register(db, caller, registration)
        users.activate(db, Caller("staff", {"roles": ["admin"]}), caller.user_id)
    group = conversations.start_group(db, callers[0], [caller.user_id for caller in callers[1:]])
    draft = messages.MessageDraft(content="Do you have time on Thursday?")
    return lambda: messages.send_message(db, callers[0], group.conversation_id, draft)


def _again(client: Any, recorded: Recorded) -> Flow:
    calls = [(getattr(client, xform_name(name)), request) for name, request in recorded]
    return lambda: [call(**request) for call, request in calls]


def _another(client: Any, recorded: Recorded) -> Flow:
    """The same requests with new ids each time, later than all earlier ids."""
    numbers = count(1)
    reads, writes = (
        json.dumps([call for call in recorded if call[0].startswith(kind)]) for kind in ("Get", "T")
    )
    made = sorted(set(_ULID.findall(writes)) - set(_ULID.findall(reads)))

    def send() -> None:
        text = writes
        for known in made:
            text = text.replace(known, f"7{next(numbers):025}")
        for name, request in (*json.loads(reads), *json.loads(text)):
            request.pop("ClientRequestToken", None)
            getattr(client, xform_name(name))(**request)

    return send
