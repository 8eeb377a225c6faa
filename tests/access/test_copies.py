"""Copies: every kind of write updates them."""

from typing import Annotated

import pytest
from pydantic import Field

from tablewright import Copy, Design, Entity, Get, Keys, Query, connect
from tablewright.access.writes.entity_writes import create, delete, put, update
from tablewright.access.writes.values import Add, Delete, Update
from tablewright.design.fields.markers import Version
from tablewright.errors import CopyBlocked, InvalidWrite, VersionConflict
from tests.access.studio import Artist, ArtistById, Studio, left_by, main

BY_ID = ArtistById(studio="s", artist_id="1")


def copies(store: Studio) -> list[str]:
    return sorted(item["PK"]["S"] for item in store.table().values() if item["PK"]["S"].startswith("FRIEND#"))


def test_each_list_element_has_its_copy(store: Studio) -> None:
    artist = store.run_sync(create(store.context, Artist(studio="s", artist_id="1", friends=["f", "g"])))
    assert copies(store) == ["FRIEND#f", "FRIEND#g"]
    artist = store.run_sync(update(store.context, Update(artist, set={"friends": ["g", "h"]})))
    assert copies(store) == ["FRIEND#g", "FRIEND#h"]
    assert store.table() == left_by(artist)
    artist = store.run_sync(put(store.context, artist.changed(friends=[])))
    assert copies(store) == []
    assert store.table() == left_by(artist)
    store.run_sync(delete(store.context, Delete(artist)))
    assert store.table() == {}


def test_an_update_changes_the_copies(store: Studio) -> None:
    store.run_sync(create(store.context, Artist(studio="s", artist_id="1", friends=["f"])))
    artist = store.run_sync(update(store.context, Update(BY_ID, set={"level": 7}, add={"likes": 2})))
    carried = [item for item in store.table().values() if item["type"] == {"S": "CARD"}]
    assert [(item["level"], item["likes"]) for item in carried] == [({"N": "7"}, {"N": "2"})]
    assert store.table() == left_by(artist)


def test_a_copy_is_not_written_when_other_fields_change(store: Studio) -> None:
    store.run_sync(create(store.context, Artist(studio="s", artist_id="1")))
    store.operations()
    store.run_sync(
        update(store.context, Update(BY_ID, set={"rank": 7, "updated_at": store.context.timestamp()}))
    )
    (_, request) = store.calls[-1]
    assert "TransactItems" not in request, (
        "the card has neither rank nor timestamp, and its expiry is the same"
    )


def test_repeated_adds_leave_the_sum_in_the_copy(store: Studio) -> None:
    artist = store.run_sync(create(store.context, Artist(studio="s", artist_id="1")))
    for _ in range(5):
        artist = store.run_sync(update(store.context, Add(BY_ID, likes=1)))
    assert artist.likes == 5
    assert store.table() == left_by(artist)


def test_a_copy_does_not_overwrite_another_item(store: Studio) -> None:
    squatter = {"PK": {"S": "FRIEND#f"}, "SK": {"S": "OF#s#1"}}
    store.db.call("PutItem", {"TableName": "studio-test", "Item": squatter})
    with pytest.raises(
        CopyBlocked, match="cannot write its copy befriended: another item has the key of the copy"
    ):
        store.run_sync(create(store.context, Artist(studio="s", artist_id="1", friends=["f"])))
    assert len(store.table()) == 1


class Club(Entity, table=main, type="CLUB"):
    """Members find it by a copy that contains only its name."""

    club_id: str
    title: str = "?"
    rules: str = "none"
    member_ids: list[str] = Field(default_factory=list)
    keys = Keys(primary=("CLUB#{club_id}", "CLUB"))
    joined = Copy(
        each="member_ids",
        name="member",
        fields=("club_id", "title"),
        primary=("MEMBER#{member}", "CLUB#{club_id}"),
    )


class ClubById(Get[Club]):
    club_id: str


class ClubsOf(Query[Club]):
    member: str
    key = "PK = MEMBER#{member}"


def test_an_entity_read_from_a_partial_copy_cannot_be_put() -> None:
    with connect(Design("clubs", entities=[Club], patterns=[ClubById, ClubsOf]), environment="test") as db:
        club = db.create(Club(club_id="1", title="chess", rules="strict", member_ids=["ada", "bob"]))
        (seen,) = db.run(ClubsOf(member="bob"))
        assert (seen.title, seen.is_partial) == ("chess", True)
        for whole in (seen, seen.changed(title="go"), seen.model_copy()):
            with pytest.raises(
                InvalidWrite, match="this Club was read from a copy or a search that lacks some fields"
            ):
                db.put(whole)
        assert db.run(ClubById(club_id="1")) == club
        assert db.update(seen, set={"title": "go"}).rules == "strict"
        assert [each.title for each in db.run(ClubsOf(member="ada"))] == ["go"]


class Journal(Entity, table=main, type="JOURNAL"):
    """Its copy lacks the version; the copy of its twin has it."""

    journal_id: str
    title: str
    text: str = ""
    version: Annotated[int, Version()] = 0
    keys = Keys(primary=("JOURNAL#{journal_id}", "JOURNAL"))
    listed = Copy(primary=("JOURNALS", "JOURNAL#{journal_id}"), fields=("journal_id", "title"))
    versioned = Copy(primary=("VERSIONED", "JOURNAL#{journal_id}"), fields=("journal_id", "title", "version"))


class Journals(Query[Journal]):
    key = "PK = JOURNALS"


class VersionedJournals(Query[Journal]):
    key = "PK = VERSIONED"


def test_an_entity_read_from_a_copy_without_its_version_is_written_by_its_key() -> None:
    with connect(Design("journals", entities=[Journal]), environment="test") as db:
        journal = db.create(Journal(journal_id="1", title="a"))
        (partial,) = db.run(Journals())
        assert db.update(partial, set={"text": "new"}).version == 2
        (versioned,) = db.run(VersionedJournals())
        assert versioned.version == 2
        db.update(partial.changed(title="b"), set={"text": "newer"})
        with pytest.raises(VersionConflict):  # a version that was read counts
            db.update(versioned, set={"text": "stale"})
        with pytest.raises(VersionConflict):
            db.update(journal, set={"text": "stale"})
        assert db.delete(partial)
