"""Shown items: what they are, their key parts, and no secret value."""

import logging
from typing import Any

import pytest

from tablewright.console.open_designs import OpenDesign
from tablewright.console.shown_items import HIDDEN, hide, secret_attributes, show_item, visible
from tests.console.sample_console import open_system


def scan(opened: OpenDesign, name: str) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = opened.db.connection.call("Scan", {"TableName": name})["Items"]
    return items


@pytest.mark.parametrize("system", ["boards", "listbackup", "goalsguild", "collabhub", "student_hub"])
def test_every_sample_item_is_recognised(system: str) -> None:
    opened = open_system(system, samples=2)
    with opened.db:
        for name, table in opened.tables.items():
            if table is opened.design.key_table:
                continue
            for item in scan(opened, name):
                shown = show_item(opened, table, item)
                assert shown["role"] != "unknown", shown["title"]
                assert shown["problem"] is None
                for attribute, parts in shown["key_parts"].items():
                    assert "".join(part["text"] for part in parts) == str(
                        next(iter(item[attribute].values()))
                    )


def test_secret_values_are_hidden_unless_revealed(caplog: pytest.LogCaptureFixture) -> None:
    opened = open_system("listbackup", samples=2)
    with opened.db:
        found = [
            (table, item)
            for name, table in opened.tables.items()
            for item in scan(opened, name)
            if secret_attributes(opened, table) & item.keys()
        ]
        assert found
        for table, item in found:
            shown = show_item(opened, table, item)["item"]
            for attribute in secret_attributes(opened, table) & item.keys():
                assert shown[attribute] == HIDDEN
        revealing = OpenDesign(opened.db, opened.title, "memory", "x:y", writable=False, reveal=True)
        with caplog.at_level(logging.WARNING, "tablewright.console"):
            shown_items = [show_item(revealing, table, item)["item"] for table, item in found]
    assert any(HIDDEN not in item.values() for item in shown_items)
    assert "revealed secrets of" in caplog.text


def test_the_keys_of_the_key_table_are_hidden() -> None:
    opened = open_system("listbackup", samples=2)
    with opened.db:
        table = opened.design.key_table
        assert table is not None
        items = scan(opened, opened.db.context.table_name(table))
        assert items
        assert all(visible(opened, table, item)["keys"] == HIDDEN for item in items)


def test_secrets_that_a_copy_keeps_are_hidden() -> None:
    item: dict[str, Any] = {"PK": {"S": "x"}, "_kept": {"M": {"token": {"S": "secret"}, "name": {"S": "n"}}}}
    assert hide(frozenset({"token"}), item)["_kept"]["M"] == {"token": HIDDEN, "name": {"S": "n"}}


def test_the_locked_value_is_a_part_of_the_key_of_a_lock() -> None:
    opened = open_system("listbackup", samples=1)
    with opened.db:
        name, table = next((name, each) for name, each in opened.tables.items() if name.endswith("users"))
        shown = [show_item(opened, table, item) for item in scan(opened, name)]
    locks = [each["key_parts"]["userId"] for each in shown if each["role"] == "lock"]
    assert {(parts[0]["text"], parts[1]["field"]) for parts in locks} == {
        ("_lock#User#email#", "email"),
        ("_lock#User#username#", "username"),
    }


def test_an_item_of_no_entity_is_unknown() -> None:
    opened = open_system("boards", samples=0)
    with opened.db:
        table = opened.design.tables[0]
        item = {**{name: {"S": "??"} for name in table.key}, "x": {"N": "1"}}
        shown = show_item(opened, table, item)
    assert (shown["role"], shown["entity"]) == ("unknown", None)
    assert shown["problem"]
