"""Integrity checks: each kind of damage is found alone, repaired, and concurrent writes cause no findings."""

import random
from collections.abc import Callable
from datetime import timedelta
from typing import Annotated, Any

import pytest
from pydantic import Field

from tablewright import Copy, Design, Entity, Get, Index, Keys, Repository, Sparse, Table, fields, keyrings
from tablewright.access.procedures import run_sync
from tablewright.lifecycle.integrity.fsck import check, preview_repairs, repair
from tablewright.lifecycle.integrity.integrity_findings import IntegrityFinding, IntegrityReport, Kind
from tests.lifecycle.stores import Store, writers

main = Table("club", ("PK", "SK"), [Index("GSI1", "GSI1PK", "GSI1SK")], ttl="expiresAt")
notes = Table("notes", "noteId", [Index("by-day", "day")])


class Member(Entity, table=main, type="MEMBER", schema_version=1):
    member_id: str
    email: Annotated[str, fields.Unique()]
    teams: list[str] = Field(default_factory=list)
    is_open: bool = True
    code: Annotated[str | None, fields.Encrypted(context=("member_id",))] = None
    joined_at: fields.Timestamp = fields.now()
    visits: Annotated[int, fields.Counter()] = 0
    expires_at: int | None = None
    keys = Keys(
        primary=("MEMBER#{member_id}", "MEMBER"),
        GSI1=Sparse("OPEN", "{email}#{member_id}", when="is_open"),
    )
    in_team = Copy(
        each="teams",
        name="team",
        primary=("TEAM#{team}", "MEMBER#{member_id}"),
        type="IN_TEAM",
        GSI1=("TEAM#{team}", "{email}#{member_id}"),
    )


class Note(Entity, table=notes):
    note_id: str
    title: str
    body: str
    made_at: fields.Timestamp = fields.now()
    keys = Keys(indexes={"by-day": "DAY#{made_at:%Y-%m-%d}"})


class MemberById(Get[Member]):
    member_id: str


class NoteById(Get[Note]):
    note_id: str


design = Design("club", entities=[Member, Note], patterns=[MemberById, NoteById])
KEYS = keyrings.MemoryKeys()

Item = dict[str, Any]


def opened(store: Store, members: int = 6) -> Repository:
    """A consistent store."""
    db = store.open(design, secrets=KEYS)
    for number in range(members):
        teams = [f"t{place}" for place in range(number % 3)]
        code = f"code {number}" if number % 2 else None
        db.put(Member(member_id=f"m{number}", email=f"{number}@x.org", teams=teams, code=code))
        db.put(Note(note_id=f"n{number}", title="t", body="b"))
    return db


def checked(db: Repository, store: Store, **options: Any) -> IntegrityReport:
    return check(db, pause=store.clock.advance, **options)


def kinds(report: IntegrityReport) -> list[str]:
    return sorted(finding.kind for finding in report.findings)


class Damage:
    """Kinds of damage, each as a program causes it that does not use the library."""

    def __init__(self, store: Store, rng: random.Random) -> None:
        self.store = store
        self.number = rng.choice((1, 5))  # a member with all optional fields

    def incomplete_item(self) -> Kind:
        self._update("club", {"PK": "MEMBER#gone", "SK": "MEMBER"}, "ADD visits :v", {":v": {"N": "1"}})
        return Kind.INCOMPLETE

    def incomplete_item_without_type(self) -> Kind:
        self._update("notes", {"noteId": "gone"}, "SET body = :v", {":v": {"S": "late"}})
        return Kind.INCOMPLETE

    def stale_index_key(self) -> Kind:
        self._update("club", self._key, "SET GSI1SK = :v", {":v": {"S": "old@x.org#m"}})
        return Kind.STALE_INDEX_KEYS

    def surplus_index_key(self) -> Kind:
        self._update("club", self._key, "SET isOpen = :v", {":v": {"BOOL": False}})
        return Kind.STALE_INDEX_KEYS

    def lost_index_key(self) -> Kind:
        self._update("notes", {"noteId": "n1"}, "REMOVE #day", {}, {"#day": "day"})
        return Kind.STALE_INDEX_KEYS

    def missing_lock(self) -> Kind:
        self._delete(self._lock)
        return Kind.MISSING_LOCK

    def orphan_lock(self) -> Kind:
        self._copied(self._lock, PK="_lock#MEMBER#email#unknown@x.org")
        return Kind.ORPHAN_LOCK

    def orphan_lock_without_owner(self) -> Kind:
        owner = {"M": {"PK": {"S": "MEMBER#never"}, "SK": {"S": "MEMBER"}}}
        self._copied(self._lock, PK="_lock#MEMBER#email#unknown@x.org", _of=owner)
        return Kind.ORPHAN_LOCK

    def missing_copy(self) -> Kind:
        self._delete(self._copy)
        return Kind.MISSING_COPY

    def outdated_copy(self) -> Kind:
        self._update("club", self._copy, "SET email = :v", {":v": {"S": "old@x.org"}})
        return Kind.OUTDATED_COPY

    def spoilt_secret_of_a_copy(self) -> Kind:
        self._spoil(self._copy)
        return Kind.OUTDATED_COPY

    def orphan_copy(self) -> Kind:
        self._copied(self._copy, PK="TEAM#left")
        return Kind.ORPHAN_COPY

    def duplicate(self) -> Kind:
        self._update("club", self._lock, "SET #of.PK = :v", {":v": {"S": "MEMBER#m0"}}, {"#of": "_of"})
        return Kind.DUPLICATE

    def blocked_copy(self) -> Kind:
        self._update("club", self._copy, "SET #of.PK = :v", {":v": {"S": "MEMBER#m0"}}, {"#of": "_of"})
        return Kind.BLOCKED_COPY

    def unknown_item(self) -> Kind:
        self.store.put("club", {"PK": {"S": "X"}, "SK": {"S": "Y"}, "type": {"S": "VISITOR"}})
        return Kind.UNKNOWN

    def unfit_value(self) -> Kind:
        self._update("club", self._key, "SET joinedAt = :v", {":v": {"S": "once"}})
        return Kind.UNKNOWN

    def spoilt_secret(self) -> Kind:
        self._spoil(self._key)
        return Kind.UNREADABLE_SECRET

    @property
    def _key(self) -> dict[str, str]:
        return {"PK": f"MEMBER#m{self.number}", "SK": "MEMBER"}

    @property
    def _lock(self) -> dict[str, str]:
        return {"PK": f"_lock#MEMBER#email#{self.number}@x.org", "SK": "_lock"}

    @property
    def _copy(self) -> dict[str, str]:
        return {"PK": "TEAM#t0", "SK": f"MEMBER#m{self.number}"}

    def _update(
        self, table: str, key: dict[str, str], expression: str, values: Item, names: Item | None = None
    ) -> None:
        request: dict[str, Any] = {"TableName": self.store.prefix + table, "Key": _texts(key)}
        request["UpdateExpression"] = expression
        request |= {"ExpressionAttributeValues": values} if values else {}
        self.store.connection.call(
            "UpdateItem", request | ({"ExpressionAttributeNames": names} if names else {})
        )

    def _spoil(self, key: dict[str, str]) -> None:
        request = {"TableName": f"{self.store.prefix}club", "Key": _texts(key)}
        sealed = self.store.connection.call("GetItem", request)["Item"]["code"]["B"]
        spoilt = sealed[:-1] + bytes([sealed[-1] ^ 1])
        self._update("club", key, "SET code = :v", {":v": {"B": spoilt}})

    def _delete(self, key: dict[str, str]) -> None:
        request = {"TableName": f"{self.store.prefix}club", "Key": _texts(key)}
        self.store.connection.call("DeleteItem", request)

    def _copied(self, key: dict[str, str], **changes: Any) -> None:
        request = {"TableName": f"{self.store.prefix}club", "Key": _texts(key)}
        item = self.store.connection.call("GetItem", request)["Item"]
        changed = {name: {"S": value} if isinstance(value, str) else value for name, value in changes.items()}
        self.store.put("club", item | changed)


def _texts(key: dict[str, str]) -> Item:
    return {name: {"S": text} for name, text in key.items()}


REPAIRED = [
    Damage.incomplete_item,
    Damage.incomplete_item_without_type,
    Damage.stale_index_key,
    Damage.surplus_index_key,
    Damage.lost_index_key,
    Damage.missing_lock,
    Damage.orphan_lock,
    Damage.orphan_lock_without_owner,
    Damage.missing_copy,
    Damage.outdated_copy,
    Damage.spoilt_secret_of_a_copy,
    Damage.orphan_copy,
]
REPORTED = [
    Damage.duplicate,
    Damage.blocked_copy,
    Damage.unknown_item,
    Damage.unfit_value,
    Damage.spoilt_secret,
]


def name_of(damage: Callable[..., Kind]) -> str:
    return damage.__name__


def test_a_consistent_store_has_no_findings(store: Store) -> None:
    db = opened(store)
    report = checked(db, store)
    assert report.findings == []
    assert report.seen == 6 + 6 + 6 + 6  # members, locks, copies, notes


@pytest.mark.parametrize("damage", [*REPAIRED, *REPORTED], ids=name_of)
def test_each_kind_of_damage_is_found_alone(store: Store, damage: Callable[[Damage], Kind]) -> None:
    db = opened(store)
    kind = damage(Damage(store, random.Random(name_of(damage))))
    before = store.items("club"), store.items("notes")
    report = checked(db, store)
    assert [finding.kind for finding in report.findings if finding.kind == kind] == [kind]
    assert set(kinds(report)) <= {kind, *_consequences(damage)}
    assert (store.items("club"), store.items("notes")) == before


def _consequences(damage: Callable[..., Kind]) -> set[Kind]:
    """Further findings of the same damage: the owner that an item names does not have the item."""
    orphaned = {Damage.duplicate: Kind.ORPHAN_LOCK, Damage.blocked_copy: Kind.ORPHAN_COPY}
    if damage is Damage.surplus_index_key:
        return {Kind.OUTDATED_COPY}
    return {orphaned[damage]} if damage in orphaned else set()


@pytest.mark.parametrize("damage", REPAIRED, ids=name_of)
def test_a_repair_restores_the_items(store: Store, damage: Callable[[Damage], Kind]) -> None:
    db = opened(store)
    healthy = _by_key(store)
    damage(Damage(store, random.Random(name_of(damage))))
    report = checked(db, store, repair=True)
    assert report.findings == []
    assert report.repaired
    assert checked(db, store).findings == []
    if damage is not Damage.surplus_index_key:
        assert _by_key(store) == healthy


@pytest.mark.parametrize("damage", REPORTED, ids=name_of)
def test_items_without_a_repair_stay(store: Store, damage: Callable[[Damage], Kind]) -> None:
    db = opened(store)
    kind = damage(Damage(store, random.Random(name_of(damage))))
    before = _by_key(store)
    report = checked(db, store, repair=True)
    # The owner that the item names does not have it: the item is an orphan, and the repair deletes it.
    if damage in (Damage.duplicate, Damage.blocked_copy):
        assert report.findings == []
        assert checked(db, store).findings == []
        return
    assert kinds(report) == [kind]
    assert _by_key(store) == before


@pytest.mark.parametrize("seed", range(4))
def test_many_kinds_of_damage_are_repaired_together(store: Store, seed: int) -> None:
    db = opened(store)
    healthy = _by_key(store)
    rng = random.Random(seed)
    chosen = rng.sample([each for each in REPAIRED if each is not Damage.surplus_index_key], 5)
    damage = Damage(store, rng)
    for way in chosen:
        try:
            way(damage)
        except KeyError:
            continue  # an earlier damage deleted the item
    report = checked(db, store)
    assert report.findings
    assert checked(db, store, repair=True).findings == []
    assert checked(db, store).findings == []
    assert _by_key(store) == healthy


def _by_key(store: Store) -> dict[str, Any]:
    """All stored items; ciphertexts are replaced, because they differ in each encryption."""
    found = {}
    for item in (*store.items("club"), *store.items("notes")):
        key = "/".join(item[name]["S"] for name in ("PK", "SK", "noteId") if name in item)
        found[key] = item | ({"code": "encrypted"} if "code" in item else {})
    return found


def test_concurrent_writes_cause_no_findings(store: Store) -> None:
    db = opened(store, 8)

    def rename(number: int) -> None:
        name = f"m{number % 8}"
        db.update(MemberById(member_id=name), set={"email": f"{name}-{number}@x.org"})

    def regroup(number: int) -> None:
        teams = [f"t{place}" for place in range(number % 4)]
        db.update(MemberById(member_id=f"m{number % 8}"), set={"teams": teams, "is_open": number % 2 == 0})

    def come_and_go(number: int) -> None:
        visitor = Member(member_id=f"g{number % 3}", email=f"g{number % 3}@x.org", teams=["t0"], code="x")
        db.put(visitor)
        db.delete(visitor)

    with writers(rename, regroup, come_and_go) as concurrent:
        for _ in range(3):
            report = checked(db, store, on_progress=lambda table, tally: concurrent.wait_for())
            assert report.findings == []
    assert checked(db, store).findings == []


def test_repairs_during_concurrent_writes_lose_no_write(store: Store) -> None:
    db = opened(store)
    damage = Damage(store, random.Random(7))
    visits = [0]

    def visit(number: int) -> None:
        db.add(MemberById(member_id=f"m{damage.number}"), visits=1)
        visits[0] += 1

    repaired = set()
    with writers(visit) as concurrent:
        for way in (Damage.stale_index_key, Damage.missing_lock, Damage.missing_copy, Damage.outdated_copy):
            way(damage)
            report = checked(db, store, repair=True, on_progress=lambda table, tally: concurrent.wait_for())
            repaired |= {finding.kind for finding in report.repaired}
    repaired |= {finding.kind for finding in checked(db, store, repair=True).repaired}
    assert Kind.STALE_INDEX_KEYS in repaired
    assert checked(db, store).findings == []
    found = db.run(MemberById(member_id=f"m{damage.number}"))
    assert found
    assert found.visits == visits[0]


def test_expired_items_are_skipped(store: Store) -> None:
    db = opened(store, 0)
    gone = int(store.clock.now()) + 60
    db.put(Member(member_id="m1", email="1@x.org", expires_at=gone))
    Damage(store, random.Random(0))._delete({"PK": "_lock#MEMBER#email#1@x.org", "SK": "_lock"})
    assert kinds(checked(db, store)) == [Kind.MISSING_LOCK]
    store.clock.advance(timedelta(seconds=61))
    assert checked(db, store).findings == []


def test_shredded_secrets_and_missing_keys_are_noted(store: Store) -> None:
    db = opened(store, 2)
    db.keys.shred(Member, member_id="m1")
    report = checked(db, store)
    assert report.findings == []
    assert report.notes == {"Member with a secret whose key was deleted": 1}
    report = checked(store.open(design), store)
    assert report.findings == []
    assert report.notes == {"Member not checked: its secrets need keys, and none were given": 2}


guest_table = Table("guests", ("PK", "SK"))


class Guest(Entity, table=guest_table, type="GUEST"):
    guest_id: str
    email: Annotated[str, fields.Unique()]
    party: str
    keys = Keys(primary=("GUEST#{guest_id}", "GUEST"))
    in_party = Copy(primary=("PARTY#{party}", "GUEST#{guest_id}"), type="IN_PARTY")


guests = Design("guests", entities=[Guest])
COPY = {"PK": {"S": "PARTY#p"}, "SK": {"S": "GUEST#g"}}


def _damaged(store: Store) -> tuple[Repository, IntegrityFinding]:
    """A guest without its copy, and the finding."""
    db = store.open(guests)
    db.put(Guest(guest_id="g", email="g@x.org", party="p"))
    db.connection.call("DeleteItem", {"TableName": store.prefix + "guests", "Key": COPY})
    return db, _only_finding(db, store)


def _only_finding(db: Repository, store: Store) -> IntegrityFinding:
    (finding,) = check(db, pause=store.clock.advance).findings
    return finding


def _update(store: Store, **changes: Any) -> None:
    key = {"PK": {"S": "GUEST#g"}, "SK": {"S": "GUEST"}}
    for name, value in changes.items():
        request = {"TableName": store.prefix + "guests", "Key": key, "UpdateExpression": "SET #n = :v"}
        values = {"ExpressionAttributeNames": {"#n": name}, "ExpressionAttributeValues": {":v": {"S": value}}}
        store.connection.call("UpdateItem", request | values)


def test_a_preview_shows_the_items_and_writes_nothing(store: Store) -> None:
    db, finding = _damaged(store)
    before = store.items("guests")
    (changes,) = preview_repairs(db.connection, [finding])
    assert store.items("guests") == before
    assert changes is not None
    (change,) = changes
    assert (change.table, change.key, change.before) == (guest_table, COPY, None)
    assert run_sync(repair(finding), db.connection.call)
    assert [item for item in store.items("guests") if item["PK"] == COPY["PK"]] == [change.after]
    assert check(db, pause=store.clock.advance).findings == []


def test_a_preview_of_a_deletion_has_no_item_after_it(store: Store) -> None:
    db = store.open(guests)
    db.put(Guest(guest_id="g", email="g@x.org", party="p"))
    orphan = next(item for item in store.items("guests") if item["PK"] == COPY["PK"])
    store.put("guests", orphan | {"PK": {"S": "PARTY#other"}})
    finding = _only_finding(db, store)
    (changes,) = preview_repairs(db.connection, [finding])
    assert changes is not None
    assert [(change.before, change.after) for change in changes] == [
        (orphan | {"PK": {"S": "PARTY#other"}}, None)
    ]


def test_an_attribute_that_was_added_since_the_check_is_not_deleted_with_the_item(store: Store) -> None:
    db = store.open(guests)
    db.put(Guest(guest_id="g", email="g@x.org", party="p"))
    copy = next(item for item in store.items("guests") if item["PK"] == COPY["PK"])
    orphan = copy | {"PK": {"S": "PARTY#other"}}
    store.put("guests", orphan)
    incomplete = {"PK": {"S": "GUEST#late"}, "SK": {"S": "GUEST"}, "party": {"S": "p"}}
    store.put("guests", incomplete)
    findings = check(db, pause=store.clock.advance).findings
    assert sorted(finding.kind for finding in findings) == [Kind.INCOMPLETE, Kind.ORPHAN_COPY]
    for item in (orphan, incomplete):
        store.put("guests", item | {"schemaVersion": {"N": "1"}})
    before = store.items("guests")
    assert list(preview_repairs(db.connection, findings)) == [None, None]
    assert [run_sync(repair(finding), db.connection.call) for finding in findings] == [False, False]
    assert store.items("guests") == before


def test_an_item_that_has_changed_is_neither_previewed_nor_repaired(store: Store) -> None:
    db, finding = _damaged(store)
    _update(store, party="q")
    assert list(preview_repairs(db.connection, [finding])) == [None]
    before = store.items("guests")
    assert not run_sync(repair(finding), db.connection.call)
    assert store.items("guests") == before
