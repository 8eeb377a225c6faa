"""Aliases: placeholders for names and values."""

from tablewright.access.expressions.aliases import Aliases


def test_a_name_has_one_alias() -> None:
    aliases = Aliases()
    assert [aliases.name(name) for name in ("size", "#odd name", "size")] == ["#0", "#1", "#0"]
    assert aliases.members() == {"ExpressionAttributeNames": {"#0": "size", "#1": "#odd name"}}


def test_each_value_has_its_own_alias() -> None:
    aliases = Aliases()
    assert [aliases.value({"S": "x"}), aliases.value({"S": "x"}), aliases.value({"N": "1"}, ":given")] == [
        ":0",
        ":1",
        ":given",
    ]
    values = {":0": {"S": "x"}, ":1": {"S": "x"}, ":given": {"N": "1"}}
    assert aliases.members() == {"ExpressionAttributeValues": values}


def test_members_without_aliases_are_left_out() -> None:
    assert Aliases().members() == {}
