"""The lock builder: the layouts of locks whose keys a design chooses."""

from typing import Annotated

from tablewright import Entity, Keys, Table, fields

main = Table("main", key=("PK", "SK"), discriminator="kind")


class User(Entity, table=main, type="USER"):
    account: str
    id: int
    email: Annotated[
        str,
        fields.Unique(
            key=("ACCOUNT#{account}", "EMAIL#{email:fold}"),
            type="LOCK",
            attributes={"userId": "{id}", "e": "x{email}"},
        ),
    ]
    nick: Annotated[str, fields.Unique()] = ""
    keys = Keys(primary=("ACCOUNT#{account}", "USER#{id:06}"))


def test_a_lock_is_owned_by_the_fields_that_its_key_lacks() -> None:
    (lock,) = User.layout.locks
    assert lock.field is User.layout.fields["email"]
    assert dict(lock.owner) == {"userId": "id"}
    assert [(name, template.text) for name, template in lock.attributes] == [
        ("userId", "{id}"),
        ("e", "x{email}"),
    ]
    assert User.layout.lock_of("email") is lock
    assert User.layout.lock_of("nick") is None


def test_a_lock_is_known_by_its_type_and_key() -> None:
    (lock,) = User.layout.locks
    item = {"PK": {"S": "ACCOUNT#a"}, "SK": {"S": "EMAIL#x"}, "kind": {"S": "LOCK"}}
    assert lock.matches(main, item)
    assert not lock.matches(main, {**item, "kind": {"S": "USER"}})
    assert not lock.matches(main, {**item, "SK": {"S": "USER#1"}})
