from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from tablewright.design.designs import Design
from tablewright.design.entities.entities import Entity
from tablewright.design.fields import markers
from tablewright.design.indexes import Index
from tablewright.design.keys.keys import Copy, Keys
from tablewright.design.keys.timestamps import Timestamp
from tablewright.design.tables import Table

CODE = "TW111"
main = Table("main", key=("PK", "SK"), indexes=[Index("GSI1", "GSI1PK", "GSI1SK")])


class Page(Entity, table=main, type="PAGE"):
    site: Annotated[str, Field(max_length=500)]
    path: Annotated[str, StringConstraints(max_length=240)] | None = None
    kind: Literal["draft", "public"]
    made_at: Timestamp
    number: int
    free: str
    token: Annotated[str, Field(max_length=5000), markers.Hashed()]
    keys = Keys(
        primary=("SITE#{site}", "{kind}#{made_at:%Y-%m}#{number:06}"), GSI1=("{token}", "{free}#{path}")
    )


class Url(Entity, table=main, type="URL"):
    url: Annotated[str, Field(max_length=4000)]
    tags: list[Annotated[str, Field(max_length=1100)]]
    keys = Keys(primary=("URL#{url}", "URL"))
    by_tag = Copy(each="tags", name="tag", primary=("TAG", "{tag}"))


class Titled(Entity, table=main, type="TITLED"):
    titled_id: str
    title: Annotated[str, Field(max_length=600)] | None = None
    subtitle: Annotated[str, Field(max_length=600)] | None = None
    keys = Keys(primary=("TITLED#{titled_id}", "TITLED"), GSI1=("TITLES", "{title}#{subtitle}"))


class Named(Entity, table=main, type="NAMED"):
    name: Annotated[str, Field(max_length=350)]
    keys = Keys(primary=("NAMES", "{name}"))


passes = [Design("short enough, or without a limit", entities=[Page])]
fails = [
    (
        Design("primary key and copy", entities=[Url]),
        [
            ("error", "Url.PK", "may have 4,004 characters; a partition key has at most 2,048"),
            ("error", "Url.by_tag.SK", "may have 1,100 characters; a sort key has at most 1,024"),
        ],
    ),
    (Design("index", entities=[Titled]), [("error", "Titled.GSI1SK", "1,201 characters")]),
    (Design("outside ASCII", entities=[Named]), [("info", "Named.SK", "1,050 bytes outside ASCII")]),
]
