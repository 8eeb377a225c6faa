"""A method that a repository does not have: the message names the method to use."""

from typing import Any

import pytest

from tablewright import connect
from tests.access import shop


@pytest.mark.parametrize(
    ("name", "words"),
    [
        (
            "get",
            "Repository has no method get; use run, which returns None if there is no entity, or get_or_raise",
        ),
        ("save", "use put, or update for some fields"),
        ("upsret", "did you mean upsert?"),
        ("frobnicate", "it has: add, "),
    ],
)
def test_unknown_methods_have_a_hint(name: str, words: str) -> None:
    with connect(shop.gather(), environment="x") as db:
        repositories: tuple[Any, ...] = (db, db.aio)
        for repository in repositories:
            with pytest.raises(AttributeError) as caught:
                getattr(repository, name)
            assert words in str(caught.value)
            assert not hasattr(repository, name)
            assert not hasattr(repository, "_private")
