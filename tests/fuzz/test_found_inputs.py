"""Inputs that the fuzzer found: each still reaches what it reached, without atheris."""

from ast import literal_eval

import pytest

from tests.fuzz.targets import TARGETS
from tests.golden import CASES

ARROW = " <- "


def found_inputs(name: str) -> list[tuple[str, bytes]]:
    """What each line of a case file reaches, and its input."""
    text = (CASES / "fuzz" / f"{name.lower().replace(' ', '_')}.txt").read_text(encoding="utf-8")
    lines = [line.rpartition(ARROW) for line in text.splitlines() if line and not line.startswith("#")]
    return [(reached, literal_eval(given)) for reached, _, given in lines]


@pytest.mark.parametrize("name", TARGETS)
def test_found_inputs_reach_what_they_reached(name: str) -> None:
    found = found_inputs(name)
    assert len(found) > 10
    missed = [(reached, given) for reached, given in found if reached not in TARGETS[name].check(given)]
    assert missed == []
