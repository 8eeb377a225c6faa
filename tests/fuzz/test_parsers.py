"""Coverage-guided fuzzing of every language that users write: each input gives a result, or an error with a message.

An input must not raise another exception, must not exhaust the stack, and must not take time in the square of its
length. What parses is used, written as text again where that is possible, and parsed again.
"""

import importlib.util
from pathlib import Path

import pytest

from tests.fuzz.campaign import fuzz
from tests.fuzz.targets import TARGETS

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("atheris") is None,
    reason="NOT FUZZED: atheris has no wheel for this Python and system (only Linux, Python 3.11 to 3.13)",
)

SMALL = 1_000
FULL = {
    "condition": 80_000,
    "key condition": 40_000,
    "update": 80_000,
    "projection": 20_000,
    "PartiQL": 100_000,
    "DynamoDB JSON": 60_000,
    "Ion": 60_000,
    "filter": 40_000,
    "key template": 20_000,
}
# What a small campaign reaches at least: kinds of nodes and of errors, half of what it was measured to reach.
LANDMARKS = {
    "condition": 12,
    "key condition": 8,
    "update": 10,
    "projection": 5,
    "PartiQL": 35,
    "DynamoDB JSON": 14,
    "Ion": 18,
    "filter": 25,
    "key template": 10,
}


@pytest.mark.parametrize("name", TARGETS)
def test_every_input_gives_a_result_or_an_error_with_a_message(name: str, tmp_path: Path) -> None:
    found = fuzz(name, SMALL, tmp_path / "fuzz")
    assert not found.problem
    assert found.inputs == SMALL
    assert len(found.reached) >= LANDMARKS[name], sorted(found.reached)
    assert found.edges > 0


def test_the_full_size_is_half_a_million() -> None:
    assert sum(FULL.values()) == 500_000
    assert FULL.keys() == TARGETS.keys()


@pytest.mark.soak
@pytest.mark.parametrize("name", TARGETS)
def test_half_a_million_inputs(name: str, tmp_path: Path) -> None:
    found = fuzz(name, FULL[name], tmp_path / "fuzz", seed=500)
    assert not found.problem
    assert found.inputs == FULL[name]


RARE_TOKEN = """
from tablewright.dynamodb.expressions.grammar import Reader
index = Reader._index
def fail(reader):
    return {"0": 0, "1": 1}[reader.token.text] if reader.at("number") and index(reader) == 31 else index(reader)
Reader._index = fail
"""
RECURSION = """
from tablewright.dynamodb.expressions.grammar import Reader
operand = Reader.operand
def recursive(reader):
    if not reader.accept("("):
        return operand(reader)
    inner = recursive(reader)
    reader.expect(")")
    return inner
Reader.operand = recursive
"""
QUADRATIC = """
from tablewright.dynamodb.expressions import grammar
tokenize = grammar.tokenize
def slow(text, keywords):
    tokens = tokenize(text, keywords)
    for one in tokens:
        for other in tokens:
            assert one.start <= other.start or one.end >= other.end
    return tokens
grammar.tokenize = slow
"""
SWAPPED_BOUNDS = """
from tablewright.dynamodb.expressions.condition import _ConditionReader
from tablewright.dynamodb.expressions.nodes import BetweenNode
between = _ConditionReader._between
def swapped(reader, operand):
    node = between(reader, operand)
    return BetweenNode(node.operand, node.high, node.low)
_ConditionReader._between = swapped
"""
WITHOUT_A_MESSAGE = """
from tablewright.errors import ValidationError
from tablewright.dynamodb.expressions.grammar import Reader
def unexpected(reader):
    raise ValidationError("")
Reader.unexpected = unexpected
"""


@pytest.mark.parametrize(
    ("planted", "problem"),
    [
        (RARE_TOKEN, "KeyError"),
        (RECURSION, "RecursionError"),
        (QUADRATIC, "too slow"),
        (SWAPPED_BOUNDS, "has other nodes"),
        (WITHOUT_A_MESSAGE, "ValidationError without a message"),
    ],
    ids=["a rare token", "recursion", "quadratic time", "other nodes", "no message"],
)
def test_planted_bugs_are_found(planted: str, problem: str, tmp_path: Path) -> None:
    assert problem in fuzz("condition", 20_000, tmp_path / "fuzz", planted=planted).problem


def test_a_planted_crash_is_found(tmp_path: Path) -> None:
    """libFuzzer keeps the input. It does so for an input that takes minutes, too."""
    crash = (
        "import os\nfrom tablewright.dynamodb.expressions.grammar import Reader\n"
        "Reader.settle = lambda *_: os.abort()\n"
    )
    assert "crash-" in fuzz("projection", 1_000, tmp_path / "fuzz", planted=crash).problem
