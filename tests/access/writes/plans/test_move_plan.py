"""Move: one transaction, and the moves it rejects."""

import pytest

from tablewright.access.writes.single import create, move
from tablewright.access.writes.values import Move
from tablewright.errors import AlreadyExists, DoesNotExist, InvalidWrite
from tests.access.studio import Artist, ArtistById, Studio, left_by


def test_move_is_one_transaction(store: Studio) -> None:
    artist = Artist(studio="s", artist_id="1", email="a@x", nickname="n", friends=["f"], likes=4)
    store.run_sync(create(store.context, artist))
    store.operations()
    moved = store.run_sync(move(store.context, Move(ArtistById(studio="s", artist_id="1"), {"studio": "t"})))
    assert store.operations() == ["GetItem", "TransactWriteItems"]
    assert (moved.studio, moved.likes, moved.version) == ("t", 4, 2)
    assert store.table() == left_by(moved)


def test_invalid_moves_are_rejected(store: Studio) -> None:
    artist = store.run_sync(create(store.context, Artist(studio="s", artist_id="1")))
    store.run_sync(create(store.context, Artist(studio="t", artist_id="1")))
    before = store.table()
    with pytest.raises(AlreadyExists, match=r"Artist\(studio='t', artist_id='1'\) already exists"):
        store.run_sync(move(store.context, Move(artist, {"studio": "t"})))
    with pytest.raises(InvalidWrite, match="move does not change the key of Artist"):
        store.run_sync(move(store.context, Move(artist, {"studio": "s"})))
    with pytest.raises(InvalidWrite, match="made of studio, artist_id; level was given"):
        store.run_sync(move(store.context, Move(artist, {"level": 3})))
    with pytest.raises(DoesNotExist):
        store.run_sync(move(store.context, Move(ArtistById(studio="x", artist_id="1"), {"studio": "y"})))
    assert store.table() == before
