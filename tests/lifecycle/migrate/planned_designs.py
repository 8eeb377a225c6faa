"""Designs that planning processes can import: one for each kind of change to albums."""

import os
import signal
from decimal import Decimal
from typing import Annotated, Any

from tablewright import Design, Entity, Keys, Table, fields, migrations
from tests.lifecycle.albums import Album, designed, main, price_as_number, price_as_text, tidy_artist

Fields = dict[str, Any]


def renumbered(item: Fields) -> Fields:
    number = item["albumId"].lstrip("0") or "0"
    return item | {"albumId": number, "PK": f"ALBUM#{number}"}


def without_cheap_ones(item: Fields) -> Fields | migrations.Removal:
    return migrations.DELETE if str(item.get("price", "9")) < "3" else item


def labelled(item: Fields) -> Fields | migrations.Removal | None:
    if item.get("label") == "X":
        return None
    return migrations.DELETE if str(item["PK"]).endswith("7") else item | {"label": "X"}


def as_the_first(item: Fields, view: migrations.View) -> Fields | None:
    first = view.find(Album, album_id="000")
    return None if first is None or item["albumId"] == "000" else item | {"artist": first["artist"]}


def growing(item: Fields) -> Fields:
    return item | {"artist": item["artist"] + "!"}


def dying(item: Fields) -> Fields | None:
    """Convert the price; kill the process that plans this album, unless it is the one that writes."""
    if item["albumId"] == "007" and os.getpid() != int(os.environ["WRITER"]):
        os.kill(os.getpid(), signal.SIGKILL)
    return price_as_number(item)


prices = designed(migrations.Migration("prices", Album, price_as_number, price_as_text))
artists = designed(migrations.Migration("artists", Album, tidy_artist))
keys = designed(migrations.Migration("keys", Album, renumbered))
removals = designed(migrations.Migration("removals", Album, without_cheap_ones))
rewrite = designed(migrations.Migration("rewrite", Album))
table = designed(migrations.Migration("table", main, labelled))
lookups = designed(migrations.Migration("lookups", Album, as_the_first))
endless = designed(migrations.Migration("endless", Album, growing))
deadly = designed(migrations.Migration("deadly", Album, dying))
followed = designed(
    migrations.Migration("prices", Album, price_as_number), migrations.Migration("keys", Album, renumbered)
)

secrets_table = Table("secret-albums", ("PK", "SK"))


class Contract(Entity, table=secrets_table, type="CONTRACT"):
    contract_id: str
    price: Decimal | str
    text: Annotated[str, fields.Encrypted()]
    keys = Keys(primary=("CONTRACT#{contract_id}", "CONTRACT"))


contracts = Design(
    "contracts",
    entities=[Contract],
    migrations=[migrations.Migration("contracts", Contract, price_as_number)],
)
