"""Pattern costs: what a pattern costs a month, and the policy that it needs."""

from collections.abc import Iterator
from typing import Annotated, Any

import pytest

from tablewright import Design, Entity, Get, Keys, Table, connect, fields
from tablewright.console.open_designs import OpenDesign
from tablewright.console.patterns.pattern_costs import ACCOUNT, pattern_cost, pattern_policy, prices_of

main = Table("app-{env}", key=("PK", "SK"))


class User(Entity, table=main, type="USER"):
    user_id: str
    secret: Annotated[str, fields.Encrypted()]
    keys = Keys(primary=("USER#{user_id}", "USER"))


class Often(Get[User]):
    user_id: str
    rate = fields.PerSecond(10)


class Seldom(Get[User]):
    user_id: str


design = Design("app", entities=[User], patterns=[Often, Seldom])


@pytest.fixture
def opened() -> Iterator[OpenDesign]:
    with connect(design, environment="test", region="eu-west-3", prefix="p-") as db:
        yield OpenDesign(db, "App", "memory", "app:design")


def test_a_declared_rate_gives_the_cost_of_a_month(opened: OpenDesign) -> None:
    cost = pattern_cost(opened, Often.__plan__)
    assert cost["times"] > 20_000_000
    assert cost["month"] == pytest.approx(cost["million"] * cost["times"] / 1_000_000)
    assert cost["advice"] is None


def test_without_a_rate_the_advice_names_what_to_declare(opened: OpenDesign) -> None:
    cost = pattern_cost(opened, Seldom.__plan__)
    assert cost["month"] is None
    assert cost["million"] > 0
    assert "rate = fields.PerSecond" in cost["advice"]


def test_prices_are_those_of_the_region(opened: OpenDesign) -> None:
    assert prices_of(opened).region == "eu-west-3"


def test_a_region_without_prices_uses_those_of_the_default_region() -> None:
    with connect(design, environment="test", region="cn-north-1") as db:
        assert prices_of(OpenDesign(db, "App", "memory", "app:design")).region == "us-east-1"


def test_the_policy_allows_only_the_read(opened: OpenDesign) -> None:
    policy = pattern_policy(opened, Seldom.__plan__)
    statements: list[dict[str, Any]] = policy["documents"][0]["Statement"]
    arn = f"arn:aws:dynamodb:eu-west-3:{ACCOUNT}:table/p-app-test"
    (statement,) = [each for each in statements if each["Resource"] == arn]
    assert "dynamodb:GetItem" in statement["Action"]
    assert not [each for each in statement["Action"] if "Put" in each or "Delete" in each]
    assert "kms:Decrypt" in policy["note"]
