"""Held-back keys: states and counts by table."""

from tablewright import embedded
from tablewright.lifecycle.migrate.held_back_keys import HeldBackKeys


def test_keys_have_a_state_and_are_counted_by_table() -> None:
    with embedded() as database:
        keys = HeldBackKeys(database)
        one, other = (("PK", "{'S': 'a'}"),), (("PK", "{'S': 'b'}"),)
        assert (keys.find("shop", one), keys.count("shop")) == (None, 0)
        keys.add("shop", one, "stored")
        keys.add("shop", other, "new")
        assert (keys.find("shop", one), keys.find("shop", other)) == ("stored", "new")
        assert (keys.find("people", one), keys.count("people")) == (None, 0)
        assert (keys.count("shop"), keys.count_new("shop")) == (2, 1)


def test_long_keys() -> None:
    with embedded() as database:
        keys = HeldBackKeys(database)
        long = (("PK", "x" * 2048), ("SK", "y" * 1024))
        keys.add("shop", long, "new")
        assert keys.find("shop", long) == "new"
