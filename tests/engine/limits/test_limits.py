"""Every documented limit, one below, at and one above it, in the process and over HTTP."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from tablewright.dynamodb.clock import Clock
from tablewright.engine.database import Database
from tablewright.engine.storage import open_store
from tests.engine.limits.all_limits import LIMITS
from tests.engine.limits.callers import call_in_process, call_over_http
from tests.engine.limits.limit import Call, Cut, Limit, Rejected, problems
from tests.engine.limits.limit_tables import create_tables
from tests.server.processes import ServerProcess
from tests.server.raw_http import RawConnection

pytestmark = pytest.mark.figure


@pytest.fixture(scope="module")
def in_process() -> Iterator[Call]:
    db = Database(open_store(), Clock())
    call = call_in_process(db)
    create_tables(call)
    yield call
    db.close()


@pytest.fixture(scope="module")
def over_http() -> Iterator[Call]:
    with ServerProcess("--memory") as server, RawConnection(server.address) as connection:
        call = call_over_http(connection)
        create_tables(call)
        yield call


@pytest.mark.parametrize("limit", LIMITS, ids=lambda limit: limit.id)
def test_limits_in_process(in_process: Call, limit: Limit) -> None:
    assert problems(limit, in_process) == []


@pytest.mark.parametrize("limit", LIMITS, ids=lambda limit: limit.id)
def test_limits_over_http(over_http: Call, limit: Limit) -> None:
    assert problems(limit, over_http) == []


def remembering(limit: Limit) -> Limit:
    """The same limit, which sends the request of each value once."""
    outcomes: dict[int, Rejected | Cut | None] = {}

    def send(call: Call, value: int) -> None:
        if value not in outcomes:
            outcomes[value] = None
            try:
                limit.send(call, value)
            except (Rejected, Cut) as error:
                outcomes[value] = error
        if (outcome := outcomes[value]) is not None:
            raise outcome

    return replace(limit, send=send)


@pytest.mark.parametrize("limit", LIMITS, ids=lambda limit: limit.id)
def test_a_limit_that_is_wrong_by_one_is_found(in_process: Call, limit: Limit) -> None:
    for wrong in remembering(limit).shifted():
        assert problems(wrong, in_process), f"{wrong.least} to {wrong.most}"


def test_limits_have_different_names() -> None:
    assert len({limit.id for limit in LIMITS}) == len(LIMITS)
