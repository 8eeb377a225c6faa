"""The service role: rights follow from patterns and declared writes, and fail closed for tenants."""

from typing import Annotated, Any

import pytest

from tablewright import Design, Entity, Get, Keys, Table, fields
from tablewright.errors import UsageError
from tablewright.generate.iam.grants import Grants
from tablewright.generate.iam.service_role import ServiceRole, main_actions, members_of
from tests.generate.iam.role_server import arns
from tests.generate.iam.shop import (
    Basket,
    BasketByCode,
    BasketOf,
    Card,
    CardOf,
    EveryBasket,
    Line,
    LinesOf,
    LinesOfOwner,
    Receipt,
    SomeLines,
    TitlesOf,
    design,
)

TABLE = "arn:aws:dynamodb:eu-north-1:123456789012:table/shop"
OWN = "USER#${aws:PrincipalTag/user_id}"


def statements(
    *members: Any, tenant: str | None = None, shared: tuple[str, ...] = ()
) -> list[dict[str, Any]]:
    grants = Grants()
    ServiceRole(design, arns(), tenant).grant(grants, members, shared)
    return grants.statements()


def rights(*members: Any, **limits: Any) -> dict[tuple[str, str], Any]:
    """The leading keys of each action on each resource; None for all."""
    return {
        (statement["Resource"].removeprefix(TABLE), action.removeprefix("dynamodb:")): next(
            (
                keys["dynamodb:LeadingKeys"]
                for operator, keys in statement.get("Condition", {}).items()
                if operator.startswith("ForAllValues") and "dynamodb:LeadingKeys" in keys
            ),
            None,
        )
        for statement in statements(*members, **limits)
        for action in statement["Action"]
    }


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        (
            BasketOf,
            {
                ("", "GetItem"): ["USER#*"],
                ("", "BatchGetItem"): ["USER#*"],
                ("", "ConditionCheckItem"): ["USER#*"],
            },
        ),
        (BasketByCode, {("/index/GSI1", "Query"): ["CODE#*"]}),
        (LinesOf, {("", "Query"): ["USER#*"]}),
        (SomeLines, {("", "BatchGetItem"): ["USER#*"]}),
        (EveryBasket, {("", "Scan"): None}),
    ],
)
def test_a_pattern_needs_its_own_action_and_keys(pattern: Any, expected: dict[Any, Any]) -> None:
    assert rights(pattern) == expected


@pytest.mark.parametrize(
    ("entity", "actions"),
    [
        (Receipt, {"ConditionCheckItem", "PutItem"}),
        (Card, {"ConditionCheckItem", "GetItem", "PutItem", "UpdateItem"}),
        (Basket, {"ConditionCheckItem", "DeleteItem", "GetItem", "PutItem", "UpdateItem"}),
        (Line, {"BatchWriteItem", "ConditionCheckItem", "DeleteItem", "GetItem", "PutItem", "UpdateItem"}),
    ],
)
def test_rights_follow_from_the_declared_writes(entity: Any, actions: set[str]) -> None:
    assert set(main_actions(entity.layout)) == actions


def test_an_append_only_entity_cannot_be_changed_or_deleted() -> None:
    assert rights(Receipt) == {("", "ConditionCheckItem"): ["USER#*"], ("", "PutItem"): ["USER#*"]}


def test_copies_and_locks_need_puts_and_deletes_only() -> None:
    locks = "_lock#BASKET#code#*"
    found = rights(Basket)
    assert found["", "PutItem"] == found["", "DeleteItem"] == ["USER#*", locks]
    assert found["", "UpdateItem"] == found["", "GetItem"] == ["USER#*"]
    found = rights(Card)
    assert found["", "PutItem"] == ["SHOP#*", "USER#*"]
    assert found["", "DeleteItem"] == ["SHOP#*"], "an update moves the copy to another shop"


def test_secrets_need_their_keys() -> None:
    keys = "-keys"
    assert rights(CardOf)[keys, "BatchGetItem"] == ['[["userId","*"]]']
    assert rights(Card)[keys, "PutItem"] == ['[["userId","*"]]']
    limited = rights(CardOf, tenant="user_id")
    assert limited[keys, "BatchGetItem"] == ['[["userId","${aws:PrincipalTag/user_id}"]]']


def vault_design() -> Design:
    """Secrets with keys that all tenants share."""
    vault = Table("vault", ("PK", "SK"))

    class Session(Entity, table=vault, type="SESSION"):
        user_id: str
        token: Annotated[str, fields.Hashed()]
        keys = Keys(primary=("USER#{user_id}", "SESSION"))

    class Note(Entity, table=vault, type="NOTE"):
        user_id: str
        text: Annotated[str, fields.Encrypted()]
        keys = Keys(primary=("USER#{user_id}", "NOTE"))

    class NoteOf(Get[Note]):
        user_id: str

    return Design("vault", entities=[Session, Note], patterns=[NoteOf])


@pytest.mark.parametrize(
    ("name", "key"), [("Session", '[["digests"]]'), ("Note", '[["entity","vault","NOTE"]]')]
)
def test_a_tenant_cannot_replace_the_keys_of_all(name: str, key: str) -> None:
    secret = vault_design()
    role = ServiceRole(secret, arns(), "user_id")
    (member,) = members_of(secret, [name])
    about = r"encryption keys of all tenants, which a tenant could replace"
    with pytest.raises(UsageError, match=rf"these cannot be limited to user_id.*: {name} \({about}\)"):
        role.grant(Grants(), [member])
    grants = Grants()
    role.grant(grants, [member], shared=[name])
    assert key in str(grants.statements()), "the tenants share it"


def test_a_tenant_reads_keys_that_all_share() -> None:
    secret = vault_design()
    grants = Grants()
    ServiceRole(secret, arns(), "user_id").grant(grants, members_of(secret, ["NoteOf"]))
    _, keys = grants.statements()
    assert keys["Action"] == ["dynamodb:BatchGetItem"]
    assert keys["Condition"]["ForAllValues:StringEquals"]["dynamodb:LeadingKeys"] == [
        '[["entity","vault","NOTE"]]'
    ]


def test_writes_of_others_in_the_same_partitions_are_named() -> None:
    role = ServiceRole(design, arns())
    assert role.notes([Receipt]) == []
    assert role.notes([Line, Card]) == [
        "Card allows no delete, but Line does in the same partitions (PK = USER#{user_id}), and IAM does not tell sort "
        "keys apart; give Card partitions of its own, or leave Line out with --only"
    ]
    assert [note.partition(",")[0] for note in role.notes([Line, Receipt])] == [
        "Receipt allows no update or delete"
    ]


def test_a_tenant_is_limited_to_its_partitions() -> None:
    found = rights(BasketOf, LinesOf, LinesOfOwner, Line, Receipt, tenant="user_id")
    assert set(map(tuple, found.values())) == {(OWN,)}


def test_attributes_are_limited_where_a_pattern_names_them() -> None:
    (statement,) = statements(TitlesOf)
    named = statement["Condition"]["ForAllValues:StringEquals"]["dynamodb:Attributes"]
    assert {"PK", "SK", "lineId", "title", "type"} <= set(named)
    assert "note" not in named
    assert "Attributes" not in str(statements(TitlesOf, LinesOf))


@pytest.mark.parametrize(
    ("member", "reason"),
    [
        (BasketByCode, r"BasketByCode \(GSI1PK = CODE#\{code\}\)"),
        (EveryBasket, r"EveryBasket \(a scan\)"),
        (Card, r"Card \(copy PK = SHOP#\{shop_id\}\)"),
        (Basket, r"Basket \(locks of code, which a tenant could take from others\)"),
    ],
)
def test_what_cannot_be_limited_is_an_error_unless_it_is_shared(member: Any, reason: str) -> None:
    with pytest.raises(UsageError, match=f"these cannot be limited to user_id.*: {reason}; leave them out"):
        statements(BasketOf, member, tenant="user_id")
    assert statements(BasketOf, member, tenant="user_id", shared=(member.__name__,))
    role = ServiceRole(design, arns(), "user_id")
    assert not role.is_limited(member)
    assert role.is_limited(BasketOf)


def test_all_members_that_cannot_be_limited_are_named_at_once() -> None:
    with pytest.raises(UsageError, match=r"BasketByCode .*, EveryBasket .*, Basket .*, Card "):
        statements(*members_of(design, ()), tenant="user_id")


def test_an_unknown_tenant_is_an_error() -> None:
    with pytest.raises(UsageError, match=r"no partition key of shop contains userId; did you mean user_id\?"):
        ServiceRole(design, arns(), "userId")


def test_unknown_names_are_errors() -> None:
    with pytest.raises(UsageError, match=r"shop has no pattern or entity BasketOff; did you mean BasketOf\?"):
        members_of(design, ["BasketOff"])
