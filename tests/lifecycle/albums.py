"""A small design with an older version, for the tests of migrations."""

from decimal import Decimal
from functools import cache
from typing import Annotated, Any

from tablewright import Copy, Design, Entity, Get, Index, Keys, Query, Table, fields, migrations
from tests.lifecycle.stores import Store

main = Table("music", ("PK", "SK"), [Index("GSI1", "GSI1PK", "GSI1SK")])


class Album(Entity, table=main, type="ALBUM"):
    album_id: str
    artist: str
    title: Annotated[str, fields.Unique()]
    price: Decimal | str | None = None
    plays: Annotated[int, fields.Counter()] = 0
    version: Annotated[int, fields.Version()] = 0
    keys = Keys(primary=("ALBUM#{album_id}", "ALBUM"), GSI1=("ARTIST#{artist}", "{title}#{album_id}"))
    shelf = Copy(primary=("SHELF#{artist}", "ALBUM#{album_id}"), fields=("album_id", "artist", "title"))


class AlbumById(Get[Album]):
    album_id: str


class ByArtist(Query[Album]):
    artist: str
    key = "GSI1PK = ARTIST#{artist}"


def price_as_number(item: dict[str, Any]) -> dict[str, Any] | None:
    if not isinstance(item.get("price"), str):
        return None
    try:
        return item | {"price": Decimal(item["price"])}
    except ArithmeticError:
        raise ValueError(f"price: {item['price']!r} is no number") from None


def price_as_text(item: dict[str, Any]) -> dict[str, Any]:
    return item | ({"price": str(item["price"])} if "price" in item else {})


def tidy_artist(item: dict[str, Any]) -> dict[str, Any]:
    return item | {"artist": item["artist"].strip().title(), "title": item["title"].strip()}


PRICES = migrations.Migration("1-prices", Album, price_as_number, price_as_text)
ARTISTS = migrations.Migration("2-artists", Album, tidy_artist)


@cache
def designed(*listed: migrations.Migration) -> Design:
    return Design("music", entities=[Album], patterns=[AlbumById, ByArtist], migrations=listed)


def album(number: int, **values: Any) -> Album:
    given = {"artist": "Nico", "title": f"No {number}", "price": f"{number}.50"}
    return Album(album_id=f"{number:03}", **(given | values))


def stored(store: Store) -> dict[str, Any]:
    """All items of the table, by key."""
    return {item["PK"]["S"] + "/" + item["SK"]["S"]: item for item in store.items("music")}


def main_items(store: Store) -> list[dict[str, Any]]:
    return [item for item in store.items("music") if "_of" not in item]
