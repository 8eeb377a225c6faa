"""A random condition means the same in `when`, in a filter and in a model in Python."""

from typing import Any

from hypothesis import given

from tablewright import Design, Query, connect, errors
from tablewright.access.repository import Repository
from tests.access.condition_model import CONDITIONS, PEOPLE, Modelled
from tests.design.definitions import define_pattern
from tests.design.people import Citizen
from tests.example_counts import examples


def holds_in_when(db: Repository, condition: Any, citizen: Citizen) -> bool:
    try:
        db.update(citizen, set={"balance": 0}, when=condition)
    except errors.ConditionNotMet:
        return False
    return True


def holds_in_filter(db: Repository, condition: Any, citizen: Citizen) -> bool:
    pattern: Any = define_pattern(Query, Citizen, {"person_id": str}, filter=condition)
    return bool(db.all(pattern(person_id=citizen.person_id)))


def test_conditions_hold_as_in_python() -> None:
    outcomes = set()

    with connect(Design("people", entities=[Citizen])) as db:

        @examples(200)
        @given(PEOPLE, CONDITIONS)
        def check(citizen: Citizen, modelled: Modelled) -> None:
            db.put(citizen)
            expected = modelled.holds(citizen)
            outcomes.add(expected)
            assert holds_in_when(db, modelled.condition, citizen) == expected
            assert holds_in_filter(db, modelled.condition, citizen) == expected

        check()
    assert outcomes == {True, False}
