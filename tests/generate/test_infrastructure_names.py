"""Infrastructure names: variables, PascalCase and snake_case names of tables."""

from collections.abc import Callable

import pytest

from tablewright import Design, Index, Table, billing
from tablewright.errors import UsageError
from tablewright.generate.cdk import cdk
from tablewright.generate.cloudformation import cloudformation
from tablewright.generate.infrastructure_names import (
    class_name,
    filled,
    is_variable,
    logical_id,
    scaling_targets,
    snake,
    varies,
    words,
)
from tablewright.generate.terraform import terraform

fixed, variable, stack = (
    Table(name, key="id") for name in ("9-lives", "app-{env}-user_profiles", "${AWS::StackName}-logs")
)


def test_variable_names() -> None:
    assert [is_variable(table) for table in (fixed, variable, stack)] == [False, True, True]
    assert not varies(Design("d", tables=[fixed]))
    assert varies(Design("d", tables=[fixed, variable]))
    assert not varies(Design("d", tables=[stack]), but_for="AWS::StackName")


def test_the_environment_becomes_a_variable() -> None:
    assert filled(variable, "${Environment}") == "app-${Environment}-user_profiles"
    assert filled(stack, "x", **{"AWS::StackName": "${AWS::StackName}"}) == "${AWS::StackName}-logs"


def test_names_in_code() -> None:
    assert words(variable) == ["app", "user", "profiles"]
    assert [logical_id(table) for table in (fixed, variable)] == ["9LivesTable", "AppUserProfilesTable"]
    assert [snake(table) for table in (fixed, variable)] == ["table_9_lives", "app_user_profiles"]


@pytest.mark.parametrize("generated", [cloudformation, terraform, cdk])
@pytest.mark.parametrize(("one", "other"), [("a-b", "a_b"), ("app-{env}-x", "app-x"), ("Abc", "abc")])
def test_tables_with_the_same_name_in_code_are_an_error(
    generated: Callable[[Design], str], one: str, other: str
) -> None:
    """In a template, one of them would be missing."""
    design = Design("d", tables=[Table(one, key="id"), Table(other, key="id")])
    message = f"tables {one} and {other} would both be {snake(Table(one, key='id'))}"
    with pytest.raises(UsageError, match=f"{message} in the code; generate them from two designs"):
        generated(design)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("shop", "ShopTables"),
        ("student_hub", "StudentHubTables"),
        ("my.shop 2", "MyShop2Tables"),
        ("2nd-shop", "Tables2ndShop"),
        ('qu"""ote', "QuOteTables"),
        ("ö", "Tables"),
    ],
)
def test_a_class_name_is_valid(name: str, expected: str) -> None:
    design = Design(name, tables=[Table("main", key="id")])
    assert class_name(design) == expected
    compile(cdk(design), "stack.py", "exec")


SCALED = billing.Autoscaled(read=5, write=6, max_read=50, max_write=60)


def test_a_table_and_its_global_indexes_have_targets() -> None:
    table = Table(
        "things", "id", [Index("by-team", "team"), Index("local", "id", "x", local=True)], billing=SCALED
    )
    assert [
        (target.label, target.dimension, target.least, target.most) for target in scaling_targets(table)
    ] == [
        ("Read", "dynamodb:table:ReadCapacityUnits", 5, 50),
        ("Write", "dynamodb:table:WriteCapacityUnits", 6, 60),
        ("ByTeamRead", "dynamodb:index:ReadCapacityUnits", 5, 50),
        ("ByTeamWrite", "dynamodb:index:WriteCapacityUnits", 6, 60),
    ]


def test_an_index_may_scale_alone() -> None:
    table = Table(
        "things", "id", [Index("by-team", "team", billing=SCALED)], billing=billing.Provisioned(1, 1)
    )
    assert [target.index_path for target in scaling_targets(table)] == ["/index/by-team", "/index/by-team"]
