"""Dangling references are found by key and by lock, in few requests, and are never repaired."""

from collections import Counter
from typing import Annotated, Any

import pytest
from pydantic import Field

from tablewright import (
    Connection,
    Design,
    Entity,
    Index,
    Keys,
    Repository,
    Table,
    connect,
    fields,
    keyrings,
    writes,
)
from tablewright.lifecycle.integrity import reference_check
from tablewright.lifecycle.integrity.fsck import check
from tablewright.lifecycle.integrity.integrity_findings import IntegrityReport, Kind
from tests.lifecycle.stores import Store

main = Table("club", ("PK", "SK"), [Index("GSI1", "GSI1PK", "GSI1SK")], ttl="expiresAt")
people = Table("people", "personId")


class Person(Entity, table=people):
    person_id: str
    email: Annotated[str, fields.Unique()]


class Club(Entity, table=main, type="CLUB"):
    club_id: str
    code: Annotated[str, fields.Unique(key=("CODE#{code}", "CODE"), attributes={"clubId": "{club_id}"})]
    founder_id: Annotated[str | None, fields.References(Person)] = None
    member_ids: Annotated[list[str], fields.References(Person)] = Field(default_factory=list)
    contact: Annotated[str | None, fields.References(Person, field="email")] = None
    expires_at: int | None = None
    keys = Keys(primary=("CLUB#{club_id}", "CLUB"))


class Team(Entity, table=main, type="TEAM"):
    club_id: Annotated[str, fields.OwnedBy(Club)]
    team_id: str
    rival_id: Annotated[str | None, fields.References("Team", field="team_id")] = None
    club_code: Annotated[str | None, fields.References(Club, field="code")] = None
    keys = Keys(primary=("CLUB#{club_id}", "TEAM#{team_id}"))


design = Design("club", entities=[Person, Club, Team])


def findings(db: Repository, store: Store, **options: Any) -> list[str]:
    report = checked(db, store, **options)
    assert {finding.kind for finding in report.findings} <= {Kind.DANGLING}
    assert all(finding.repair is None and not finding.actions for finding in report.findings)
    return sorted(finding.problem for finding in report.findings)


def checked(db: Repository, store: Store, **options: Any) -> IntegrityReport:
    return check(db, pause=store.clock.advance, **options)


def test_targets_that_exist_are_no_findings(store: Store) -> None:
    db = store.open(design)
    for number in range(3):
        db.create(Person(person_id=f"p{number}", email=f"{number}@x"))
    db.create(Club(club_id="c1", code="one", founder_id="p0", member_ids=["p1", "p2"], contact="2@x"))
    db.create(Team(club_id="c1", team_id="t1", club_code="one"))
    db.create(Team(club_id="c1", team_id="t2", rival_id="t1"))
    assert findings(db, store) == []


def test_every_kind_of_dangling_reference_is_found_and_none_is_repaired(store: Store) -> None:
    db = store.open(design)
    db.create(Person(person_id="p1", email="1@x"))
    db.create(Club(club_id="c1", code="one", founder_id="x", member_ids=["p1", "y", "z"], contact="w@x"))
    db.create(Team(club_id="c1", team_id="t1", rival_id="t9", club_code="two"))
    db.create(Team(club_id="c2", team_id="t2"))
    before = [*store.items("club"), *store.items("people")]
    expected = [
        "refers to Club(club_id='c2') in club_id, which does not exist",
        "refers to Club(code='two') in club_code, which does not exist",
        "refers to Person(email='w@x') in contact, which does not exist",
        "refers to Person(person_id='x') in founder_id, which does not exist",
        "refers to Person(person_id='y') in member_ids, which does not exist",
        "refers to Person(person_id='z') in member_ids, which does not exist",
        "refers to Team(club_id='c1', team_id='t9') in rival_id, which does not exist",
    ]
    assert findings(db, store) == expected
    assert findings(db, store, repair=True) == expected
    assert [*store.items("club"), *store.items("people")] == before


def test_expired_targets_and_items_of_other_types_are_no_targets(store: Store) -> None:
    db = store.open(design)
    past = int(store.clock.now()) - 5
    db.create(Club(club_id="c1", code="one", expires_at=past))
    db.create(Team(club_id="c1", team_id="t1"))
    store.put("club", {"PK": {"S": "CLUB#c2"}, "SK": {"S": "CLUB"}, "type": {"S": "TEAM"}})
    db.create(Team(club_id="c2", team_id="t2"))
    report = checked(db, store)
    assert sorted(finding.problem for finding in report.findings if finding.kind is Kind.DANGLING) == [
        "refers to Club(club_id='c1') in club_id, which does not exist",
        "refers to Club(club_id='c2') in club_id, which does not exist",
    ]


def test_rows_of_other_programs_do_not_end_the_check(store: Store) -> None:
    db = store.open(design)
    store.put(
        "club", {"PK": {"S": "CLUB#c1"}, "SK": {"S": "TEAM#t1"}, "type": {"S": "TEAM"}, "clubId": {"N": "7"}}
    )
    store.put("club", {"PK": {"S": "?"}, "SK": {"S": "?"}})
    db.create(Team(club_id="c1", team_id="t2"))
    report = checked(db, store)
    assert sorted(str(finding.kind) for finding in report.findings) == [
        "dangling reference",
        "unknown item",
        "unknown item",
    ]


def test_what_an_owner_left_can_be_deleted(store: Store) -> None:
    db = store.open(design)
    db.create(Team(club_id="c1", team_id="t1"))
    assert len(findings(db, store)) == 1
    db.delete_with_owned(writes.Target(Club, {"club_id": "c1"}))
    assert findings(db, store) == []


class Counting(Connection):
    """Counts calls; before the first GetItem it writes something."""

    def __init__(self, inner: Connection, interrupt: Any = None) -> None:
        self._inner = inner
        self._interrupt = interrupt
        self.calls: Counter[str] = Counter()

    def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        self.calls[operation] += 1
        if operation == "GetItem" and self._interrupt is not None:
            interrupt, self._interrupt = self._interrupt, None
            interrupt()
        return self._inner.call(operation, request)

    def close(self) -> None:
        """Leave it open."""


def through(store: Store, connection: Counting) -> Repository:
    return connect(design, connection, prefix=store.prefix, clock=store.clock)


def test_targets_are_read_in_batches(store: Store) -> None:
    db = store.open(design)
    for number in range(30):
        db.create(Person(person_id=f"p{number}", email=f"{number}@x"))
        db.create(Club(club_id=f"c{number}", code=f"{number}", founder_id=f"p{number}", contact="0@x"))
    counting = Counting(store.connection)
    assert findings(through(store, counting), store, segments=1) == []
    assert counting.calls["GetItem"] == 0
    assert counting.calls["BatchGetItem"] < 12


@pytest.mark.parametrize("change", ["target created", "item deleted", "item changed"])
def test_what_clients_write_meanwhile_is_no_finding(store: Store, change: str) -> None:
    db = store.open(design)
    club = db.create(Club(club_id="c1", code="one", founder_id="p1"))

    def interrupt() -> None:
        if change == "target created":
            db.create(Person(person_id="p1", email="1@x"))
        elif change == "item deleted":
            db.delete(club)
        else:
            db.update(club, set={"founder_id": None})

    assert findings(through(store, Counting(store.connection, interrupt)), store) == []
    assert len(store.items("club")) == (0 if change == "item deleted" else 2)


def test_what_is_remembered_is_limited(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reference_check, "MOST_REMEMBERED", 2)
    db = store.open(design)
    for number in range(9):
        db.create(Person(person_id=f"p{number}", email=f"{number}@x"))
        db.create(Club(club_id=f"c{number}", code=f"{number}", founder_id=f"p{number}"))
    db.create(Club(club_id="c", code="c", founder_id="none"))
    assert findings(db, store) == ["refers to Person(person_id='none') in founder_id, which does not exist"]


def test_a_value_that_no_key_can_contain_is_dangling(store: Store) -> None:
    class Seat(Entity, table=main, type="SEAT"):
        row: str
        seat_id: str
        keys = Keys(primary=("ROW#{row}#{seat_id}", "SEAT"))

    class Ticket(Entity, table=main, type="TICKET"):
        ticket_id: str
        row: str
        seat_id: Annotated[str, fields.References(Seat)]
        keys = Keys(primary=("TICKET#{ticket_id}", "TICKET"))

    db = store.open(Design("club", entities=[Seat, Ticket]))
    db.create(Ticket(ticket_id="t1", row="a#b", seat_id="1"))
    assert findings(db, store) == ["refers to Seat(row='a#b', seat_id='1') in seat_id, which does not exist"]


def test_a_target_with_a_secret_key_needs_the_keys(store: Store) -> None:
    class Pass(Entity, table=main, type="PASS"):
        token: Annotated[str, fields.Hashed()]
        keys = Keys(primary=("PASS#{token}", "PASS"))

    class Entry(Entity, table=main, type="ENTRY"):
        entry_id: str
        token: Annotated[str, fields.References(Pass)]
        keys = Keys(primary=("ENTRY#{entry_id}", "ENTRY"))

    secret = Design("club", entities=[Pass, Entry])
    db = store.open(secret, secrets=keyrings.MemoryKeys())
    db.create(Pass(token="known"))
    db.create(Entry(entry_id="e1", token="known"))
    db.create(Entry(entry_id="e2", token="other"))
    (problem,) = findings(db, store)
    assert problem.startswith("refers to Pass(")
    assert "other" not in problem
    without = checked(store.open(secret), store)
    assert without.findings == []
    assert "Entry.token not checked: the key of Pass is a secret, and no keys were given" in without.notes
