"""Orders of keys on a store: every ordered type sorts by value, is read by ranges and pages, and is read back."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from enum import Enum, IntEnum
from types import new_class
from typing import Annotated, Any
from uuid import uuid4

import pytest
from pydantic import Field

from tablewright import (
    Copy,
    Design,
    Entity,
    Get,
    Index,
    Keys,
    Query,
    Repository,
    Sparse,
    Table,
    connect,
    fields,
)
from tablewright.errors import KeyValueError
from tests.design.definitions import define_pattern

FAR = timezone(timedelta(hours=-11))


class Level(IntEnum):
    LOW = 1
    HIGH = 10


class Change(Enum):
    DOWN = -1
    UP = 1


TIMES = [datetime(year, 3, 1, 12, 30, 15, 500_000, tzinfo=FAR) for year in (1969, 1999, 2025, 2200)]
DAYS = [date(1, 1, 1), date(999, 12, 31), date(2025, 8, 8), date(9999, 12, 31)]
NUMBERS = [-100, -2, -1, 0, 3, 20, 100]
DECIMALS = [
    Decimal("-10.25"),
    Decimal("-0.5"),
    Decimal("-0"),
    Decimal("0.10"),
    Decimal("1E+2"),
    Decimal("1250.75"),
]

NUMBER_KEYS: dict[str, tuple[Any, str, list[Any]]] = {
    "int": (int, "{value}", NUMBERS),
    "float": (float, "{value}", [-1.5, -0.1, 0.0, 0.1, 1e-7 + 1, 1e10]),
    "Decimal": (Decimal, "{value}", DECIMALS),
    "IntEnum": (Level, "{value}", list(Level)),
    "Enum": (Change, "{value}", list(Change)),
    "timestamp": (fields.Timestamp, "{value:epoch_ms}", TIMES),
    "date": (date, "{value:%Y%m%d}", DAYS),
}
TEXT_KEYS: dict[str, tuple[Any, str, list[Any]]] = {
    "int": (int, "{value:06}", [0, 3, 20, 100, 999_999]),
    "signed": (int, "{value:+06}", NUMBERS),
    "Decimal": (Decimal, "{value:+010.2}", DECIMALS),
    "float": (float, "{value:+010.2}", [-1.5, -0.25, 0.0, 0.1, 99.99]),
    "IntEnum": (Level, "{value:02}", list(Level)),
    "date": (date, "{value}", DAYS),
    "timestamp": (fields.Timestamp, "{value}", TIMES),
    "milliseconds": (fields.Timestamp, "{value:epoch_ms}", TIMES[1:]),
    "int desc": (int, "{value:06 desc}", [100, 20, 3, 0]),
    "signed desc": (int, "{value:+06 desc}", NUMBERS[::-1]),
    "Decimal desc": (Decimal, "{value:+010.2 desc}", DECIMALS[::-1]),
    "date desc": (date, "{value:desc}", DAYS[::-1]),
    "timestamp desc": (fields.Timestamp, "{value:desc}", TIMES[::-1]),
    "milliseconds desc": (fields.Timestamp, "{value:epoch_ms desc}", TIMES[:0:-1]),
}
CASES = [("N", *case) for case in NUMBER_KEYS.values()] + [("S", *case) for case in TEXT_KEYS.values()]
NAMES = [f"{kind} {name}" for kind, cases in (("N", NUMBER_KEYS), ("S", TEXT_KEYS)) for name in cases]


class Shelf:
    """A table whose sort key is one value, with an entity, its patterns and a repository."""

    def __init__(self, where: Any, key_type: Any, kind: Any, template: str, values: list[Any]) -> None:
        table = Table(f"shelf-{uuid4().hex[:8]}", key=("PK", "SK"), types={"SK": key_type})
        members = {
            "__annotations__": {"value": kind, "note": str},
            "__module__": __name__,
            "note": "",
            "keys": Keys(primary=("ALL", template)),
        }
        entity: Any = new_class(
            "Thing", (Entity,), {"table": table, "type": "T"}, lambda ns: ns.update(members)
        )
        self.entity = entity
        low, high = template.replace("value", "low"), template.replace("value", "high")
        self.all: Any = define_pattern(Query, self.entity, {}, key="PK = ALL")
        self.falling: Any = define_pattern(Query, self.entity, {}, key="PK = ALL", descending=True)
        self.least: Any = define_pattern(Query, self.entity, {"low": kind}, key=f"PK = ALL AND SK >= {low}")
        self.between: Any = define_pattern(
            Query, self.entity, {"low": kind, "high": kind}, key=f"PK = ALL AND SK BETWEEN {low} AND {high}"
        )
        self.one: Any = define_pattern(Get, self.entity, {"value": kind})
        patterns: list[Any] = [self.all, self.falling, self.least, self.between, self.one]
        self.db: Any = connect(Design("shelf", entities=[entity], patterns=patterns), where, create=True)
        self.table = table
        self.values = values
        for value in sorted(values, key=str):
            self.db.create(self.entity(value=value))

    def read(self, pattern: Any) -> list[Any]:
        return [each.value for each in self.db.iterate(pattern)]


@pytest.fixture(params=CASES, ids=NAMES)
def case(request: pytest.FixtureRequest) -> Any:
    return request.param


@pytest.fixture(params=["memory", "http"])
def shelf(request: pytest.FixtureRequest, case: Any) -> Iterator[Shelf]:
    made = Shelf(request.getfixturevalue("endpoint") if request.param == "http" else None, *case)
    yield made
    made.db.close()


def test_items_are_sorted_and_read_by_ranges_and_pages(shelf: Shelf) -> None:
    values = shelf.values
    assert shelf.read(shelf.all()) == values
    assert shelf.read(shelf.falling()) == values[::-1]
    assert shelf.read(shelf.least(low=values[1])) == values[1:]
    assert shelf.read(shelf.between(low=values[0], high=values[-2])) == values[:-1]
    first = shelf.db.run(shelf.falling(), limit=1)
    second = shelf.db.run(shelf.falling(), limit=1, cursor=first.cursor)
    assert [each.value for each in (*first, *second)] == values[::-1][:2]
    for value in values:
        found = shelf.db.run(shelf.one(value=value))
        assert found.value == value
        shelf.db.update(found, set={"note": "seen"})
        shelf.db.delete(found)
    assert shelf.read(shelf.all()) == []


def test_fields_that_are_only_in_the_key_are_read_back(shelf: Shelf) -> None:
    if "%" in shelf.entity.keys.primary[1].text:
        pytest.skip("a part of a date is not read back")
    name = shelf.db.context.table_name(shelf.table)
    items = shelf.db.connection.call("Scan", {"TableName": name})["Items"]
    for item in items:
        shelf.db.connection.call(
            "PutItem",
            {"TableName": name, "Item": {key: each for key, each in item.items() if key != "value"}},
        )
    assert shelf.read(shelf.all()) == shelf.values


main = Table(
    "orders",
    key=("PK", "SK"),
    indexes=[Index("by-points", "game", "points"), Index("GSI1", "GSI1PK", "GSI1SK")],
    types={"points": "N"},
)


class Score(Entity, table=main, type="SCORE"):
    player: str
    game: str
    points: Decimal = Decimal(0)
    is_open: bool = True
    rounds: list[int] = Field(default_factory=list)
    keys = Keys(
        primary=("PLAYER#{player}", "SCORE"),
        GSI1=Sparse("GAME#{game}", "{points:+010.2 desc}#{player}", when="is_open"),
    )
    by_round = Copy(each="rounds", name="number", primary=("ROUNDS#{game}", "{number:04 desc}#{player}"))


class ScoreOf(Get[Score]):
    player: str


class Leaders(Query[Score]):
    game: str
    key = "game = {game}"
    descending = True


class Above(Query[Score]):
    game: str
    key = "game = {game} AND points > 0"


class TextLeaders(Query[Score]):
    game: str
    key = "GSI1PK = GAME#{game}"


class AtLeast(Query[Score]):
    game: str
    least: Decimal
    key = "GSI1PK = GAME#{game} AND GSI1SK <= {least:+010.2 desc}#~"


class Rounds(Query[Score]):
    game: str
    key = "PK = ROUNDS#{game}"


@pytest.fixture(params=["memory", "http"])
def db(request: pytest.FixtureRequest) -> Iterator[Repository]:
    design = Design(
        "orders", entities=[Score], patterns=[ScoreOf, Leaders, Above, TextLeaders, AtLeast, Rounds]
    )
    where = request.getfixturevalue("endpoint") if request.param == "http" else None
    with connect(design, where, create=True) as repository:
        for player, points in (("ada", "10.50"), ("bob", "-2"), ("eve", "9")):
            repository.put(Score(player=player, game="go", points=Decimal(points), rounds=[]))
        yield repository


def names(db: Repository, pattern: Any) -> list[str]:
    return [score.player for score in db.iterate(pattern)]


def test_an_index_key_follows_the_points(db: Repository) -> None:
    assert names(db, Leaders(game="go")) == names(db, TextLeaders(game="go")) == ["ada", "eve", "bob"]
    db.update(ScoreOf(player="bob"), add={"points": Decimal("20.25")})
    assert names(db, Leaders(game="go")) == names(db, TextLeaders(game="go")) == ["bob", "ada", "eve"]
    assert names(db, AtLeast(game="go", least=Decimal("10.5"))) == ["bob", "ada"]
    db.update(ScoreOf(player="ada"), set={"is_open": False, "points": Decimal("-1")})
    assert names(db, TextLeaders(game="go")) == ["bob", "eve"]
    assert names(db, Above(game="go")) == ["eve", "bob"]


def test_points_that_do_not_fit_the_key_are_rejected_and_nothing_is_written(db: Repository) -> None:
    with pytest.raises(
        KeyValueError, match=r"Score: points = 10.501 has more decimals than its key format \+010.2"
    ):
        db.update(ScoreOf(player="ada"), add={"points": Decimal("0.001")})
    with pytest.raises(KeyValueError, match="has too many digits"):
        db.update(ScoreOf(player="ada"), add={"points": Decimal("1E+9")})
    assert [score.points for score in db.iterate(Leaders(game="go"))] == [Decimal("10.5"), 9, -2]


def test_copies_are_sorted_by_their_element_in_descending_order(db: Repository) -> None:
    db.update(ScoreOf(player="ada"), set={"rounds": [3, 20, 100]})
    db.update(ScoreOf(player="eve"), set={"rounds": [20]})
    assert names(db, Rounds(game="go")) == ["ada", "ada", "eve", "ada"]
    db.update(ScoreOf(player="ada"), set={"rounds": [3]})
    assert names(db, Rounds(game="go")) == ["eve", "ada"]


class Turn(Entity, table=Table("turns", key=("PK", "SK"), types={"SK": "N"}), type="TURN"):
    game: str
    numbers: list[int]
    name: Annotated[str, fields.Unique()]
    first: int = 0
    keys = Keys(primary=("GAME#{game}", "{first}"))
    copied = Copy(each="numbers", name="number", primary=("NUMBERS#{game}", "{number}"))


class Turns(Query[Turn]):
    game: str
    key = "PK = NUMBERS#{game} AND SK > 1"


def test_copies_have_their_element_in_a_number_key() -> None:
    with connect(Design("turns", entities=[Turn], patterns=[Turns])) as db:
        turn = db.create(Turn(game="go", numbers=[1, 20, 3], name="x"))
        assert list(db.iterate(Turns(game="go"))) == [turn, turn]
        db.update(turn, set={"numbers": [1]})
        assert list(db.iterate(Turns(game="go"))) == []


def test_a_time_in_a_key_of_the_years_1970_to_2286_is_read_in_any_zone() -> None:
    at = datetime(2025, 8, 8, 10, tzinfo=UTC)
    shelf = Shelf(None, "S", fields.Timestamp, "{value:epoch_ms}", [at])
    assert shelf.db.run(shelf.one(value=at.astimezone(FAR))).value == at
    with pytest.raises(KeyValueError, match="does not fit its key format epoch_ms"):
        shelf.db.create(shelf.entity(value=TIMES[0]))


class Ranked(
    Entity,
    table=Table(
        "ranked",
        key="playerId",
        indexes=[Index("rank", "game", ("points", "at"))],
        types={"points": "N", "at": "N"},
    ),
):
    player_id: str
    game: str = "go"
    points: float
    reached_at: fields.Timestamp
    keys = Keys(indexes={"rank": ("{game}", "{points}", "{reached_at:epoch}")})


class Ranking(Query[Ranked]):
    game: str
    points: float
    key = "game = {game} AND points = {points} AND at > {since:epoch}"
    since: datetime


def test_an_index_is_sorted_by_two_numbers() -> None:
    with connect(Design("ranked", entities=[Ranked], patterns=[Ranking])) as db:
        for number, points in enumerate((0.5, -1.0, 0.5, 0.5)):
            db.create(Ranked(player_id=f"p{number}", points=points, reached_at=TIMES[number]))
        found = db.run(Ranking(game="go", points=0.5, since=TIMES[1]))
        assert [each.player_id for each in found] == ["p2", "p3"]
