"""Token replays: a transaction that is sent again after a kill of the server is executed exactly once."""

from pathlib import Path

import pytest

from tests.server.consistency.token_replays import CLIENTS, problems, run_replays

FORGOTTEN = """
from tablewright.engine.core.operations import transact_write_items
transact_write_items.remember = lambda tx, token: None
"""
KEPT_IN_MEMORY = """
from tablewright.engine.core.operations import transact_write_items
seen = set()
transact_write_items.remember = lambda tx, token: seen.add(token.name)
transact_write_items.recall = lambda tx, token: token.name in seen
"""
RECALLED_WITHOUT_EXECUTION = """
from tablewright.engine.core.operations import transact_write_items
transact_write_items.recall = lambda tx, token: True
"""


@pytest.mark.parametrize("count", [3 * CLIENTS, pytest.param(1_000, marks=pytest.mark.soak)])
def test_replayed_transactions_are_executed_once(tmp_path: Path, count: int) -> None:
    replays = run_replays(tmp_path / "data.db", count, seed=count)
    assert problems(replays) == []
    assert len(replays.executed) == count
    assert replays.kills == -(-count // CLIENTS)
    assert 0 < len(replays.executed_before_kill) < count, "some were executed before the kill, and some after"
    assert replays.replied_before_kill


@pytest.mark.parametrize(
    ("planted", "problem"),
    [
        (FORGOTTEN, "was executed 2 times"),
        (KEPT_IN_MEMORY, "was executed 2 times"),
        (RECALLED_WITHOUT_EXECUTION, "was executed 0 times"),
    ],
    ids=["token not stored", "token only in memory", "token recalled without execution"],
)
def test_planted_bugs_are_found(tmp_path: Path, planted: str, problem: str) -> None:
    found = problems(run_replays(tmp_path / "data.db", CLIENTS, seed=3, planted=planted))
    assert found
    assert problem in found[0]


def test_a_lost_reply_is_found(tmp_path: Path) -> None:
    replays = run_replays(tmp_path / "data.db", CLIENTS, seed=3)
    assert replays.replied_before_kill
    lost = replays._replace(executed_before_kill=set(), shared=0)
    assert len(problems(lost)) == len(replays.replied_before_kill) + 1
