"""A leaderboard and a hierarchy of places, in the usual forms, have no findings about their order."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Annotated

from tablewright import Design, Entity, Get, Index, Keys, Query, Table, connect, fields
from tablewright.checks.runner import check

arcade = Table(
    "arcade",
    key=("PK", "SK"),
    indexes=[
        Index("GSI1", "GSI1PK", "GSI1SK"),
        Index("GSI2", "GSI2PK", "GSI2SK"),
        Index("by-points", "game", "points"),
    ],
    types={"points": "N"},
)


class Player(Entity, table=arcade, type="PLAYER"):
    game: str
    player_id: str
    points: Annotated[int, fields.Counter()] = 0
    average: Decimal = Decimal(0)
    reached_at: fields.Timestamp
    keys = Keys(
        primary=("PLAYER#{player_id}", "GAME#{game}"),
        GSI1=("BOARD#{game}", "{points:010 desc}#{reached_at}#{player_id}"),
        GSI2=("AVERAGE#{game}", "{average:+010.2}#{reached_at}#{player_id}"),
    )


class PlayerById(Get[Player]):
    game: str
    player_id: str


class Leaders(Query[Player]):
    """The players with the most points; of those with equal points, the first who reached them."""

    game: str
    key = "GSI1PK = BOARD#{game}"


class LeadersByNumber(Query[Player]):
    """The same by a number key."""

    game: str
    key = "game = {game}"
    descending = True


class LeadersWithAtLeast(Query[Player]):
    """The leaders with at least some points."""

    game: str
    least: int
    key = "GSI1PK = BOARD#{game} AND GSI1SK <= {least:010 desc}#~"


class BestAverages(Query[Player]):
    """The highest averages."""

    game: str
    key = "GSI2PK = AVERAGE#{game}"
    descending = True


class Place(Entity, table=arcade, type="PLACE"):
    firm: str
    country: str
    state: str
    city: str
    place_id: str
    opened_at: fields.Timestamp
    keys = Keys(
        primary=("PLACES#{firm}", "COUNTRY#{country}#STATE#{state}#CITY#{city}#{place_id}"),
        GSI1=("OPENED#{firm}", "COUNTRY#{country}#STATE#{state}#{opened_at}#{place_id}"),
    )


class AllPlaces(Query[Place]):
    """All places, from the last country to the first."""

    firm: str
    key = "PK = PLACES#{firm}"
    descending = True


class PlacesOfCountry(Query[Place]):
    """The places of a country, by state and city."""

    firm: str
    country: str
    key = "PK = PLACES#{firm} AND begins_with(SK, COUNTRY#{country}#)"


class PlacesOfState(Query[Place]):
    """The places of a state, by city."""

    firm: str
    country: str
    state: str
    key = "PK = PLACES#{firm} AND begins_with(SK, COUNTRY#{country}#STATE#{state}#)"


class OpenedByCountry(Query[Place]):
    """The places of a country, by state and time."""

    firm: str
    country: str
    key = "GSI1PK = OPENED#{firm} AND begins_with(GSI1SK, COUNTRY#{country}#)"


class LatestOfState(Query[Place]):
    """The places of a state, the latest first."""

    firm: str
    country: str
    state: str
    key = "GSI1PK = OPENED#{firm} AND begins_with(GSI1SK, COUNTRY#{country}#STATE#{state}#)"
    descending = True


LISTS = [Leaders, LeadersByNumber, LeadersWithAtLeast, BestAverages]
PLACES = [AllPlaces, PlacesOfCountry, PlacesOfState, OpenedByCountry, LatestOfState]
design = Design("arcade", entities=[Player, Place], patterns=[PlayerById, *LISTS, *PLACES])


def test_there_are_no_findings_but_notes_about_names() -> None:
    found = [(finding.code, finding.where) for finding in check(design)]
    assert [each for each in found if each[0] != "TW601"] == []


def test_the_leaders_are_in_the_order_of_points_then_of_time() -> None:
    start = datetime(2025, 8, 8, tzinfo=UTC)
    db = connect(design)
    for number, (player_id, points) in enumerate([("ada", 9), ("bob", 10), ("eve", 100), ("joe", 9)]):
        at = start - timedelta(hours=number)
        db.create(
            Player(game="go", player_id=player_id, points=points, average=Decimal(points) / 4, reached_at=at)
        )
    assert [each.player_id for each in db.run(Leaders(game="go"))] == ["eve", "bob", "joe", "ada"]
    assert [each.points for each in db.run(LeadersByNumber(game="go"))] == [100, 10, 9, 9]
    assert [each.points for each in db.run(LeadersWithAtLeast(game="go", least=10))] == [100, 10]
    assert [each.player_id for each in db.run(BestAverages(game="go"))] == ["eve", "bob", "ada", "joe"]
    db.add(PlayerById(game="go", player_id="ada"), points=2)
    assert [each.player_id for each in db.run(Leaders(game="go"), limit=2)] == ["eve", "ada"]
