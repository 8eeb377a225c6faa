"""IAM policies allow what a role does, and nothing else."""

from typing import Annotated, Any

import pytest

from tablewright import (
    BatchGet,
    Design,
    Entity,
    Find,
    Get,
    Index,
    Keys,
    Query,
    Scan,
    Table,
    connect,
    embedded,
    fields,
)
from tablewright.errors import UsageError
from tablewright.generate.iam import TableArns, members_of, policy
from tablewright_systems.proof_runner import proof_context
from tablewright_systems.proofs import MeteredConnection
from tablewright_systems.registry import SYSTEMS, System
from tests.generate.policies import Asked, Needs, allows

ARNS = TableArns("eu-north-1", "123456789012")
ARN = "arn:aws:dynamodb:eu-north-1:123456789012:table"
ACTIONS = [
    f"dynamodb:{name}"
    for name in "BatchGetItem BatchWriteItem ConditionCheckItem DeleteItem DeleteTable GetItem PutItem Query Scan "
    "UpdateItem UpdateTable".split()
]

shop = Table("shop", ("PK", "SK"), [Index("GSI1", "GSI1PK", "GSI1SK")])


class Basket(Entity, table=shop, type="BASKET"):
    user_id: str
    code: Annotated[str, fields.Unique()]
    keys = Keys(primary=("USER#{user_id}", "BASKET"), GSI1=("CODE#{code}", "BASKET"))


class Line(Entity, table=shop, type="LINE"):
    user_id: str
    line_id: str
    keys = Keys(primary=("USER#{user_id}", "LINE#{line_id}"))


class BasketOf(Get[Basket]):
    """The basket of a user."""

    user_id: str


class LinesOf(Query[Line]):
    """The lines of a user."""

    user_id: str
    key = "PK = USER#{user_id}, begins_with(SK, 'LINE#')"


class SomeLines(BatchGet[Line]):
    """Some lines of a user."""

    user_id: str
    line_id: list[str]


class BasketByCode(Find[Basket]):
    """A basket by its code."""

    code: str
    key = "GSI1PK = CODE#{code}"


class EveryBasket(Scan[Basket]):
    """All baskets."""


design = Design(
    "shop", entities=[Basket, Line], patterns=[BasketOf, LinesOf, SomeLines, BasketByCode, EveryBasket]
)


class Recorder:
    """A connection that records its requests."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection
        self.calls: list[tuple[str, dict[str, Any]]] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)

    def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        self.calls.append((operation, request))
        reply: dict[str, Any] = self._connection.call(operation, request)
        return reply


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        (
            BasketOf(user_id="u1"),
            [
                Asked("dynamodb:GetItem", f"{ARN}/shop", ("USER#u1",)),
                Asked("dynamodb:BatchGetItem", f"{ARN}/shop", ("USER#u1",)),
            ],
        ),
        (LinesOf(user_id="u1"), [Asked("dynamodb:Query", f"{ARN}/shop", ("USER#u1",))]),
        (
            SomeLines(user_id="u1", line_id=["a"]),
            [Asked("dynamodb:BatchGetItem", f"{ARN}/shop", ("USER#u1",))],
        ),
        (BasketByCode(code="x"), [Asked("dynamodb:Query", f"{ARN}/shop/index/GSI1", ("CODE#x",))]),
        (EveryBasket(), [Asked("dynamodb:Scan", f"{ARN}/shop")]),
    ],
    ids=lambda each: type(each).__name__ if not isinstance(each, list) else "",
)
def test_a_pattern_is_allowed_only_its_own_calls(pattern: Any, expected: list[Asked]) -> None:
    with embedded() as store:
        recorder = Recorder(store)
        db = connect(design, recorder, create=True)
        recorder.calls.clear()
        db.run(pattern)
        if isinstance(pattern, Get):
            db.get_all(pattern)
        needed = [each for call in recorder.calls for each in Needs(ARN, {"shop": "PK"}).of(*call)]
    assert needed == expected
    granted = policy(design, ARNS, [type(pattern)])
    assert all(allows(granted, each) for each in needed)
    for action in ACTIONS:
        for resource in (f"{ARN}/shop", f"{ARN}/shop/index/GSI1", f"{ARN}/other"):
            requests = Asked(action, resource, ("USER#u1",))
            is_own = any((each.action, each.resource) == (action, resource) for each in needed)
            assert allows(granted, requests) == is_own


def test_a_tenant_is_restricted_to_its_partitions_and_to_locks() -> None:
    granted = policy(design, ARNS, [BasketOf, LinesOf, Basket, Line], tenant="user_id")
    mine = {"user_id": "u1"}
    for action in ("GetItem", "PutItem", "UpdateItem", "DeleteItem", "Query", "ConditionCheckItem"):
        assert allows(granted, Asked(f"dynamodb:{action}", f"{ARN}/shop", ("USER#u1",)), mine)
        assert not allows(granted, Asked(f"dynamodb:{action}", f"{ARN}/shop", ("USER#u2",)), mine)
        assert not allows(granted, Asked(f"dynamodb:{action}", f"{ARN}/shop", ("USER#u1", "USER#u2")), mine)
        assert not allows(granted, Asked(f"dynamodb:{action}", f"{ARN}/shop"), mine)
    assert allows(granted, Asked("dynamodb:PutItem", f"{ARN}/shop", ("USER#u1", "_lock#BASKET#code#x")), mine)
    assert not allows(granted, Asked("dynamodb:PutItem", f"{ARN}/shop", ("_lock#LINE#code#x",)), mine)


def test_locks_with_chosen_keys_are_shared_or_those_of_the_tenant() -> None:
    class Card(Entity, table=shop, type="CARD"):
        user_id: str
        number: Annotated[
            str, fields.Unique(key=("NUMBER#{number}", "LOCK"), attributes={"userId": "{user_id}"})
        ]
        keys = Keys(primary=("USER#{user_id}", "CARD"))

    class CardByNumber(Get[Card]):
        number: str
        key = "PK = NUMBER#{number} AND SK = LOCK"

    cards = Design("cards", entities=[Card], patterns=[CardByNumber])
    written = policy(cards, ARNS, [Card], tenant="user_id")
    assert "'NUMBER#*'" in repr(written)
    assert "USER#${aws:PrincipalTag/user_id}" in repr(written)
    read = policy(cards, ARNS, [CardByNumber], tenant="user_id")
    assert "LeadingKeys" not in repr(read), "the lock of any tenant can be read"


def test_shared_partitions_have_a_separate_statement() -> None:
    granted = policy(design, ARNS, [BasketOf, EveryBasket], tenant="user_id")
    assert allows(granted, Asked("dynamodb:Scan", f"{ARN}/shop"), {"user_id": "u1"})
    assert not allows(granted, Asked("dynamodb:GetItem", f"{ARN}/shop", ("USER#u2",)), {"user_id": "u1"})


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: system.name)
def test_the_policy_of_a_system_allows_all_its_flows(system: System, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[tuple[str, dict[str, Any]]] = []

    def call(self: MeteredConnection, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        if operation.endswith(("Item", "Items", "Query", "Scan")) and self.measurement is not None:
            calls.append((operation, request))
        return passed_on(self, operation, request)

    passed_on = MeteredConnection.call
    monkeypatch.setattr(MeteredConnection, "call", call)
    tables = {table.physical_name(system.environment): table.partition for table in system.design.tables}
    with proof_context(system) as context:
        for proof in system.proofs:
            with context.new_measurement():
                proof.run(context)
    arns = TableArns("eu-north-1", "123456789012", system.environment)
    granted = policy(system.design, arns, may_shred=True)
    requests = [each for name, request in calls for each in _needs(tables, name, request)]
    assert requests
    assert [each for each in requests if not allows(granted, each)] == []
    assert "*" not in str([(each["Action"], each["Resource"]) for each in granted["Statement"]])


def _needs(tables: dict[str, str], operation: str, request: dict[str, Any]) -> list[Asked]:
    """The permissions of a flow's call; calls to tables outside the design need none from it."""
    if request.get("TableName", next(iter(tables))) not in tables:
        return []
    return list(Needs(ARN, tables).of(operation, request))


def test_an_unknown_name_is_rejected() -> None:
    with pytest.raises(UsageError, match="shop has no pattern or entity Missing; it has: BasketOf"):
        members_of(design, ["Missing"])
