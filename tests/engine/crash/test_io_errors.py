"""An I/O error at every file call of a script: the caller gets an error or the write is there, and later calls work."""

import itertools
import json
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import NamedTuple

import apsw
import pytest

from tablewright.engine.database import Database
from tablewright.engine.storage import Tallies, open_store
from tablewright.engine.storage.group_commit import Group
from tablewright.errors import StoreError
from tests.engine.crash.crash_script import (
    FAILED,
    Commit,
    CrashScript,
    Reply,
    State,
    copied,
    damage,
    remove,
    run_commit,
    state_of,
)
from tests.engine.crash.file_calls import FileCall, watching

LATER = 2
"""So many commits follow the one that fails."""


class OneFailure:
    """Fails one file call, counted from when it is armed: `with watching(failure): ...`."""

    def __init__(self, number: int) -> None:
        self._number = number
        self._calls = 0
        self.is_armed = False
        self.has_happened = False

    def __call__(self, call: FileCall) -> None:
        if not (self.is_armed and call.changes_file):
            return
        self._calls += 1
        if self._calls == self._number:
            self.has_happened = True
            if call.kind == "write" and self._number % 2:
                raise apsw.FullError("injected")
            raise apsw.IOError("injected")


class Outcome(NamedTuple):
    """What the caller saw of one failing commit and the commits after it."""

    has_failed: bool
    replies: list[Reply]
    later: list[Reply]
    live: State
    reopened: State
    damage: str | None


def run_with_failure(path: Path, commits: list[Commit], number: int) -> Outcome:
    """Run commits on a file; the file call of that number fails in the first of them."""
    failure = OneFailure(number)
    with watching(failure):
        with closing(Database(open_store(path))) as db:
            state_of(db)  # from here on, the item counts are kept in memory
            failure.is_armed = True
            replies = run_commit(db, commits[0])
            failure.is_armed = False
            later = [reply for commit in commits[1:] for reply in run_commit(db, commit)]
            live = state_of(db)
        with closing(Database(open_store(path))) as db:
            reopened = state_of(db)
            damaged = damage(db)
    return Outcome(failure.has_happened, replies, later, live, reopened, damaged)


class Reference:
    """The script in memory, up to a commit; computes what a caller may see after it."""

    def __init__(self) -> None:
        self._db = Database(open_store())

    def advance(self, commit: Commit) -> None:
        run_commit(self._db, commit)

    def run(self, commits: list[Commit]) -> tuple[list[Reply], State]:
        with closing(self._db.copy()) as db:
            replies = [reply for commit in commits for reply in run_commit(db, commit)]
            return replies, state_of(db)

    def close(self) -> None:
        self._db.close()

    def problem(self, outcome: Outcome, commits: list[Commit]) -> str | None:
        """What is wrong with an outcome; None if each write is acknowledged and there, or failed as a whole."""
        if outcome.live != outcome.reopened:
            return "the reopened file differs from what was read before"
        failed = {place for place, (status, _) in enumerate(outcome.replies) if status == FAILED}
        if any(status == FAILED for status, _ in outcome.later):
            return f"a later write failed: {outcome.later}"
        acknowledged = tuple(request for place, request in enumerate(commits[0]) if place not in failed)
        seen = [reply for place, reply in enumerate(outcome.replies) if place not in failed] + outcome.later
        for kept in (acknowledged, commits[0]):
            replies, state = self.run([kept, *commits[1:]])
            if kept is not acknowledged:
                replies = [reply for place, reply in enumerate(replies) if place not in failed]
            if state == outcome.reopened and json.dumps(replies) == json.dumps(seen):
                return outcome.damage
        return f"acknowledged writes are missing, or failed ones are there in part; failed: {sorted(failed)}"


def failures(directory: Path, script: CrashScript) -> Iterator[str | None]:
    """Fail every file call of every commit, one at a time; yield the problem of each, or None."""
    walked, path = directory / "walked.db", directory / "failing.db"
    with watching(), closing(Reference()) as reference, closing(Database(open_store(walked))) as db:
        for place, commit in enumerate(script.commits):
            commits = script.commits[place : place + 1 + LATER]
            for number in itertools.count(1):
                outcome = run_with_failure(copied(walked, path), commits, number)
                if not outcome.has_failed:
                    break
                problem = reference.problem(outcome, commits)
                yield problem and f"commit {place}, call {number}: {problem}"
            run_commit(db, commit)
            reference.advance(commit)


@pytest.mark.parametrize("commits", [4, pytest.param(200, marks=pytest.mark.soak)])
def test_an_io_error_at_every_write(tmp_path: Path, commits: int) -> None:
    found = list(failures(tmp_path, CrashScript(7, commits)))
    assert len(found) > 5 * commits
    assert not [problem for problem in found if problem is not None]


def opened_and_closed(path: Path) -> bool:
    """Whether a file could be opened; it is closed again."""
    try:
        db = Database(open_store(path))
    except StoreError:
        return False
    # SQLite ignores an error of its last checkpoint, because the log still has everything; apsw raises it here.
    with suppress(apsw.Error):
        db.close()
    return True


# apsw reports the error of a connection that could not be opened a second time.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("existing", [False, True], ids=["new", "existing"])
def test_an_io_error_while_opening_is_raised_and_the_next_open_works(tmp_path: Path, existing: bool) -> None:
    script = CrashScript(7, 6)
    source = tmp_path / "source.db"
    if existing:
        with watching(), closing(Database(open_store(source))) as db:
            for commit in script.commits:
                run_commit(db, commit)
            copied(source, tmp_path / "crashed.db")
    path = tmp_path / "opened.db"
    errors = 0
    for number in itertools.count(1):
        copied(tmp_path / "crashed.db", path)
        failure = OneFailure(number)
        with watching(failure):
            failure.is_armed = True
            errors += not opened_and_closed(path)
            failure.is_armed = False
        if not failure.has_happened:
            break
        assert script.problem(path, len(script.commits) if existing else 0) is None, f"call {number}"
        remove(path)
    assert number > 2
    assert errors or existing


def test_an_ignored_io_error_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settle = Group.settle
    monkeypatch.setattr(Group, "settle", lambda group, failure=None: settle(group))
    problems = [problem for problem in failures(tmp_path, CrashScript(7, 3)) if problem is not None]
    assert any("acknowledged writes are missing" in problem for problem in problems)


def test_counts_that_keep_an_undone_write_are_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Tallies, "forget_all", lambda tallies: None)
    problems = [problem for problem in failures(tmp_path, CrashScript(7, 3)) if problem is not None]
    assert any("the reopened file differs" in problem for problem in problems)
