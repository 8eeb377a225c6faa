"""Infrastructure names: variables, PascalCase and snake_case names of tables."""

from tablewright import Design, Table
from tablewright.generate.infrastructure_names import filled, is_variable, logical_id, snake, varies, words

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
