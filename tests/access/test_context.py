"""The context: time, table names and decoders of a repository."""

from datetime import UTC, datetime

import pytest

from tablewright import Design, Entity, Keys, Scan, Table
from tablewright.access.context import Context
from tablewright.errors import UsageError
from tests.access import shop

strays = Table("strays", key="id")


class Stray(Entity, table=strays):
    id: str
    keys = Keys(primary="{id}")


class AllStrays(Scan[Stray]):
    """List all strays."""


def test_timestamps_have_whole_milliseconds() -> None:
    context = Context(now=lambda: 1_750_000_000.123456)
    assert context.timestamp() == datetime.fromtimestamp(1_750_000_000, UTC).replace(microsecond=123_000)


def test_table_names_have_a_prefix_and_an_environment() -> None:
    context = Context(environment="dev", prefix="copy-")
    assert context.table_name(shop.main) == "copy-shop-dev-main"
    assert context.table_name(strays) == "copy-strays"


def test_a_table_outside_the_design_is_an_error() -> None:
    Context().require(Stray.layout)
    Context(design=Design("strays", tables=[strays])).require(Stray.layout)
    with pytest.raises(
        UsageError, match="Stray is stored in the table strays, which is not part of the design"
    ):
        Context(design=Design("shop", tables=[shop.main])).require(Stray.layout)


def test_an_entity_outside_the_design_is_not_written() -> None:
    Context().require_writable(Stray.layout)
    Context(design=Design("strays", entities=[Stray])).require_writable(Stray.layout)
    Context(design=Design("strays", patterns=[AllStrays])).require_writable(Stray.layout)
    with pytest.raises(UsageError, match=r"Stray is not part of the design strays, .* add it to Design"):
        Context(design=Design("strays", tables=[strays])).require_writable(Stray.layout)


def test_another_version_of_a_class_of_the_design_is_written() -> None:
    class Renamed(Entity, table=strays):
        id: str
        keys = Keys(primary="{id}")

    Context(design=Design("strays", entities=[Stray])).require_writable(Renamed.layout)


def test_each_entity_has_one_decoder() -> None:
    context = Context()
    assert context.decoder(Stray.layout) is context.decoder(Stray.layout)
    assert context.decoder(Stray.layout) is not context.decoder(shop.Order.layout)
