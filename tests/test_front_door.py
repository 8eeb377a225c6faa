"""The front door: every public name is imported on first use and documented in the reference."""

from pathlib import Path

import pytest

import tablewright
from tablewright.access.encryption.key_rotation import KeyAdministration
from tablewright.access.streams.stream_consumers import StreamConsumers
from tablewright.connections import Embedded

REFERENCE = (Path(__file__).parent.parent / "docs" / "reference" / "python.md").read_text()


def public(kind: type) -> list[str]:
    return [name for name in vars(kind) if not name.startswith("_")]


@pytest.mark.parametrize("name", tablewright.__all__)
def test_every_name_is_listed_and_documented(name: str) -> None:
    assert name in dir(tablewright)
    assert f"`{name}`" in REFERENCE or f"\n## {name}" in REFERENCE


@pytest.mark.parametrize(
    "kind",
    [
        Embedded,
        tablewright.Connection,
        tablewright.Clock,
        tablewright.Console,
        tablewright.Repository,
        KeyAdministration,
        StreamConsumers,
    ],
)
def test_every_member_is_documented(kind: type) -> None:
    assert not [
        name for name in public(kind) if f"`{name}`" not in REFERENCE and f"`{name}(" not in REFERENCE
    ]


def test_an_unknown_name_raises_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'tablewright' has no attribute 'embeded'"):
        tablewright.embeded  # type: ignore[attr-defined]  # noqa: B018
