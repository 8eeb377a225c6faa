from datetime import date
from typing import Literal

from tablewright.design.designs import Design
from tablewright.design.entities.entities import Entity
from tablewright.design.keys.keys import Keys
from tablewright.design.keys.timestamps import Timestamp
from tablewright.design.patterns import Query
from tablewright.design.tables import Table

CODE = "TW108"
boards = Table("boards", key=("PK", "SK"))


class Service(Entity, table=boards):
    board_id: str
    service: str
    service_id: str
    keys = Keys(primary=("BOARD#{board_id}", "SERVICE#{service}#{service_id}"))


class Post(Entity, table=boards):
    board_id: str
    post_id: str
    posted_at: Timestamp
    keys = Keys(primary=("BOARD#{board_id}", "{posted_at}#{post_id}"))


class Page(Entity, table=boards):
    board_id: str
    name: str
    keys = Keys(primary=("BOARD#{board_id}", "PAGE#{name}"))


class Services(Query[Service]):
    board_id: str
    service: str
    key = "PK = BOARD#{board_id} AND begins_with(SK, SERVICE#{service}#)"


class AllServices(Query[Service]):
    board_id: str
    key = "PK = BOARD#{board_id} AND begins_with(SK, SERVICE#)"


class PostsOfDay(Query[Post]):
    board_id: str
    day: date
    key = "PK = BOARD#{board_id} AND begins_with(SK, {day})"


class PostsOfMonth(Query[Post]):
    board_id: str
    month: str
    key = "PK = BOARD#{board_id} AND begins_with(SK, {month})"


class SearchPages(Query[Page]):
    board_id: str
    name_prefix: str
    key = "PK = BOARD#{board_id} AND begins_with(SK, PAGE#{name_prefix})"


class OpenKind(Query[Service]):
    board_id: str
    service: str
    key = "PK = BOARD#{board_id} AND begins_with(SK, SERVICE#{service})"


class OpenKinds(Query[Service]):
    board_id: str
    service: Literal["trade", "tradeArchive"]
    key = "PK = BOARD#{board_id} AND begins_with(SK, SERVICE#{service})"


class OpenWord(Query[Service]):
    board_id: str
    key = "PK = BOARD#{board_id} AND begins_with(SK, SERVICE)"


class OpenName(Query[Page]):
    board_id: str
    name: str
    key = "PK = BOARD#{board_id} AND begins_with(SK, PAGE#{name})"


passes = [
    Design("closed", patterns=[Services, AllServices]),
    Design("the day of a timestamp", patterns=[PostsOfDay, PostsOfMonth]),
    Design("a search", patterns=[SearchPages]),
]
fails = [
    (Design("a field", patterns=[OpenKind]), [("warning", "OpenKind", "SERVICE#{service}")]),
    (Design("choices", patterns=[OpenKinds]), [("warning", "OpenKinds", "SERVICE#{service}")]),
    (Design("a word", patterns=[OpenWord]), [("warning", "OpenWord", "SERVICE")]),
    (Design("the end of the key", patterns=[OpenName]), [("warning", "OpenName", "PAGE#{name}")]),
]
