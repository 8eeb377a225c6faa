"""Messages about a wrong argument name it without the internals of the library."""

from typing import Any

import pytest

from tablewright import Entity, Get, Table, connect, errors, writes
from tablewright.design.designs import Design
from tablewright.design.fields.descriptions import describe_argument
from tablewright.design.fields.entity_attributes import Attribute


class User(Entity, table=Table("users", key="userId")):
    user_id: str
    name: str = ""
    visits: int = 0


class UserById(Get[User]):
    user_id: str


ADA = User(user_id="ada")
UPDATE = writes.Update(ADA, set={"name": "x"}, when=User.visits > 3)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (3, "3"),
        ("x", "'x'"),
        (None, "None"),
        ([1], "an instance of list"),
        (User, "the class User"),
        (ADA, "an instance of User"),
        (UPDATE, "an instance of Update"),
        (User.visits > 3, "a condition"),
        (User.visits, "the field User.visits"),
        (User.name.size(), "the size User.name.size()"),  # type: ignore[attr-defined]
    ],
)
def test_given_values(value: Any, text: str) -> None:
    assert describe_argument(value) == text


@pytest.mark.parametrize(
    ("use", "message"),
    [
        (lambda db: db.create(UserById(user_id="x")), "Create takes an entity, not an instance of UserById"),
        (lambda db: db.create(User), "Create takes an entity, not the class User"),
        (lambda db: db.delete("ada"), "'ada' is not a target"),
        (lambda db: db.delete(User), "the class User is not a target"),
        (lambda db: db.transact(ADA), "an instance of User is not a write"),
        (
            lambda db: db.batch([UPDATE]),
            "a batch takes Put and unconditional Delete, not an instance of Update",
        ),
        (
            lambda db: db.update(ADA, set={"name": "x"}, when=User.visits),
            "when= takes a condition, not the field User.visits; compare it: User.visits == True",
        ),
        (lambda db: db.update(ADA, set={"name": "x"}, when=True), "when= takes a condition, not True"),
        (lambda db: db.update(ADA, set={"nmae": "x"}), "User has no field nmae; did you mean name?"),
        (lambda db: db.update(ADA, remove=["nmae"]), "User has no field nmae; did you mean name?"),
        (lambda db: db.add(ADA, vists=1), "User has no field vists; did you mean visits?"),
        (lambda db: db.add(ADA, colour=1), "User has no field colour; it has: user_id, name, visits"),
        (lambda db: ADA.changed(nmae="x"), "User has no field nmae; did you mean name?"),
        (lambda db: User.nmae, "User has no field nmae; did you mean name?"),  # type: ignore[attr-defined]
        (
            lambda db: db.update(ADA, set={"name": "x"}, when=(User.visits > 3) & (User.name == "b")),
            "User(user_id='ada') does not meet the condition (User.visits > 3) & (User.name == 'b')",
        ),
        (
            lambda db: db.transact(writes.Check(ADA, User.visits > 3)),
            "does not meet the condition User.visits > 3",
        ),
        (
            lambda db: db.update(ADA, set={"name": "x"}, when=Attribute("nmae") == "x"),
            "nmae is not a field of User; did you mean name?",
        ),
    ],
)
def test_messages_show_no_internals(use: Any, message: str) -> None:
    with connect(Design("users", entities=[User], patterns=[UserById])) as db:
        db.create(ADA)
        with pytest.raises((errors.TablewrightError, AttributeError)) as raised:
            use(db)
    text = str(raised.value)
    assert message in text
    assert "Attribute(" not in text
    assert "Comparison(" not in text
    assert "<class" not in text


def test_an_unknown_class_attribute_is_an_attribute_error() -> None:
    assert not hasattr(User, "nmae")
    assert getattr(User, "nmae", 7) == 7
