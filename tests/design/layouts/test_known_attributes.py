"""Known attributes of entities."""

from tablewright import Entity, Index, Keys, Table
from tablewright.design.layouts.layouts import known_attributes

TABLE = Table("app", key=("PK", "SK"), indexes=[Index("GSI1", "GSI1PK")], ttl="expires")


class User(Entity, table=TABLE, type="USER"):
    user_id: str
    name: str | None = None
    keys = Keys(primary=("USER#{user_id}", "USER"))


class Team(Entity, table=TABLE, type="TEAM"):
    team_id: str
    name: str
    keys = Keys(primary=("TEAM#{team_id}", "TEAM"))


def test_the_fields_of_the_first_entity_are_first_and_each_attribute_is_named_once() -> None:
    found = known_attributes([User.layout, Team.layout])
    assert found[:2] == ("userId", "name")
    assert sorted(found) == [
        "GSI1PK",
        "PK",
        "SK",
        "expires",
        "name",
        "schemaVersion",
        "teamId",
        "type",
        "userId",
    ]


def test_no_entity_has_no_attributes() -> None:
    assert known_attributes([]) == ()
