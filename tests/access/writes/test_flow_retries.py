"""Retried flows: read again after a conflict, a bounded number of times, sync and async."""

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from threading import Barrier
from typing import Annotated, Any
from uuid import uuid4

import pytest

from tablewright import Design, Entity, Get, Keys, Repository, Table, connect, errors, fields, writes
from tablewright.access.writes.flow_retries import retrying

main = Table("retrying-{env}", key=("PK", "SK"))
WRITERS = 6


class Ledger(Entity, table=main, type="LEDGER"):
    ledger_id: str
    total: int = 0
    version: Annotated[int, fields.Version()] = 0
    keys = Keys(primary=("LEDGER#{ledger_id}", "LEDGER"))


class LedgerById(Get[Ledger]):
    ledger_id: str
    consistent = True


class Changed(Exception):
    pass


BY_ID = LedgerById(ledger_id="1")


@pytest.fixture(params=["memory", "file", "http"])
def ledgers(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Repository]:
    """A repository with one ledger."""
    where: Any = tmp_path / "ledgers.db" if request.param == "file" else None
    if request.param == "http":
        where = request.getfixturevalue("endpoint")
    design = Design("ledgers", entities=[Ledger], patterns=[LedgerById])
    with connect(design, where, environment=uuid4().hex[:12], create=True) as db:
        db.create(Ledger(ledger_id="1"))
        yield db


@pytest.fixture(autouse=True)
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The pauses of sync flows, recorded and not slept."""
    slept: list[float] = []
    monkeypatch.setattr("tablewright.access.writes.flow_retries.time.sleep", slept.append)
    return slept


def conflict(found: int = 2) -> errors.VersionConflict:
    return errors.VersionConflict("Ledger", {"ledger_id": "1"}, 1, found)


def failing(*failures: Exception) -> Any:
    """A flow that raises these errors, one in each attempt, and then returns the number of attempts."""
    left = list(failures)

    def flow() -> int:
        if left:
            raise left.pop(0)
        return len(failures) + 1

    return flow


def test_concurrent_flows_lose_no_change(ledgers: Repository) -> None:
    have_read, attempts = Barrier(WRITERS), []

    @ledgers.retrying(attempts=100)
    def add(number: int) -> Ledger:
        ledger = ledgers.get_or_raise(BY_ID)
        attempts.append(number)
        if attempts.count(number) == 1:
            have_read.wait()  # all flows have read the same version, so all but one conflict
        return ledgers.update(ledger, set={"total": ledger.total + 1})

    with ThreadPoolExecutor(WRITERS) as pool:
        totals = [each.total for each in pool.map(add, range(WRITERS))]
    assert sorted(totals) == list(range(1, WRITERS + 1))
    assert len(attempts) > WRITERS, "flows ran again"
    assert [attempts.count(number) for number in range(WRITERS)].count(1) >= 1, "a flow succeeded at once"


def test_concurrent_coroutines_lose_no_change(ledgers: Repository) -> None:
    async def work() -> tuple[list[int], int]:
        have_read, attempts = asyncio.Barrier(WRITERS), []
        async with ledgers.aio as db:

            @db.retrying(attempts=100)
            async def add(number: int) -> Ledger:
                ledger = await db.get_or_raise(BY_ID)
                attempts.append(number)
                if attempts.count(number) == 1:
                    await have_read.wait()
                return await db.update(ledger, set={"total": ledger.total + 1})

            totals = [each.total for each in await asyncio.gather(*map(add, range(WRITERS)))]
        return totals, len(attempts)

    totals, attempts = asyncio.run(work())
    assert sorted(totals) == list(range(1, WRITERS + 1))
    assert attempts > WRITERS, "flows ran again"


def test_a_transaction_with_a_version_conflict_is_read_again(ledgers: Repository) -> None:
    stale = ledgers.get_or_raise(BY_ID)
    ledgers.update(BY_ID, set={"total": 5})
    read = iter([stale])

    @ledgers.retrying
    def close(otherwise: Any = None) -> int:
        ledger = next(read, None) or ledgers.get_or_raise(BY_ID)
        ledgers.transact(
            writes.Check(ledger, otherwise=otherwise), writes.Put(Ledger(ledger_id=f"{otherwise}"))
        )
        return ledger.total

    assert close() == 5
    read = iter([stale])
    assert close(Changed) == 5


@pytest.mark.parametrize(
    "error",
    [
        conflict(),
        errors.TransactionFailed([None, conflict()]),
        errors.TransactionFailed([errors.AlreadyExists("L", {}, "already exists"), conflict()]),
    ],
    ids=["conflict", "transaction", "transaction with another failure first"],
)
def test_errors_that_mean_read_again(error: Exception, pauses: list[float]) -> None:
    replaced = Changed()
    replaced.__cause__ = error
    assert retrying(failing(error, replaced))() == 3
    assert len(pauses) == 2
    assert all(0 <= pause <= 0.02 for pause in pauses)


NOT_MET = errors.ConditionNotMet("Ledger", {}, "total = 1")
OTHERS = [
    NOT_MET,
    errors.TransactionFailed([NOT_MET, None]),
    errors.UniqueViolation("Ledger", {}, "name", "x"),
    errors.Contended("Ledger", {}, "is changed"),
    errors.OutcomeUnknown("Ledger", {}),
    ValueError("wrong"),
]


@pytest.mark.parametrize("error", OTHERS, ids=lambda error: type(error).__name__)
def test_other_errors_are_raised_at_once(error: Exception, pauses: list[float]) -> None:
    with pytest.raises(type(error)) as caught:
        retrying(failing(error))()
    assert caught.value is error
    assert pauses == []


def test_the_caller_names_further_errors() -> None:
    again = retrying(on=errors.ConditionNotMet)
    assert again(failing(NOT_MET, conflict(), errors.TransactionFailed([NOT_MET, None])))() == 4


def test_the_last_error_is_raised(pauses: list[float]) -> None:
    with pytest.raises(errors.VersionConflict) as caught:
        retrying(failing(*(conflict(number) for number in range(9))), attempts=3)()
    assert caught.value.found == 2
    assert len(pauses) == 2
    with pytest.raises(errors.VersionConflict):
        retrying(failing(conflict()), attempts=1)()


def test_coroutines_stop_after_the_last_attempt() -> None:
    async def flow(error: Exception) -> None:
        seen.append(error)
        raise error

    for error, expected in ((conflict(), 2), (NOT_MET, 1)):
        seen: list[Exception] = []
        with pytest.raises(type(error)):
            asyncio.run(retrying(flow, attempts=2)(error))
        assert len(seen) == expected


def test_a_decorated_flow_keeps_its_name_and_arguments() -> None:
    @writes.retrying
    def rename(old: str, *, new: str) -> str:
        """Rename."""
        return f"{old} {new}"

    assert (rename.__name__, rename.__doc__, rename("a", new="b")) == ("rename", "Rename.", "a b")


def test_a_partial_coroutine_function_is_awaited() -> None:
    async def double(number: int) -> int:
        return 2 * number

    async def work() -> int:
        return await retrying(partial(double, 2))()

    assert asyncio.run(work()) == 4


def test_mistakes_are_rejected() -> None:
    async def flow() -> None: ...

    with pytest.raises(errors.UsageError, match="at least 1"):
        retrying(attempts=0)
    with pytest.raises(errors.UsageError, match="takes a coroutine function"):
        retrying(lambda: flow())()  # type: ignore[unused-coroutine]


def test_otherwise_replaces_the_error_of_the_last_attempt(pauses: list[float]) -> None:
    flow = retrying(failing(conflict(2), conflict(3)), attempts=2, otherwise=Changed("try again"))
    with pytest.raises(Changed, match="try again") as raised:
        flow()
    assert isinstance(raised.value.__cause__, errors.VersionConflict)
    assert len(pauses) == 1


def test_otherwise_is_raised_by_coroutines_as_well() -> None:
    async def flow() -> None:
        raise conflict()

    with pytest.raises(Changed):
        asyncio.run(retrying(flow, attempts=1, otherwise=Changed)())


def test_otherwise_does_not_replace_errors_that_are_not_retried() -> None:
    missing = errors.DoesNotExist("Ledger", {"ledger_id": "1"}, "does not exist")
    with pytest.raises(errors.DoesNotExist):
        retrying(failing(missing), otherwise=Changed)()


def test_an_exception_raised_from_another_error_ends_the_flow() -> None:
    """The caller has decided that the rule does not allow the write, although `on` names the error."""
    decided = Changed("not allowed")
    decided.__cause__ = errors.ConditionNotMet("Ledger", {"ledger_id": "1"}, "x")
    with pytest.raises(Changed, match="not allowed"):
        retrying(failing(decided), on=errors.ConditionNotMet)()
