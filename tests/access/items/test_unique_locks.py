"""The keys of locks."""

from hypothesis import given
from hypothesis import strategies as st

from tablewright.access.items.footprint import footprint
from tablewright.access.items.unique_locks import lock_key
from tablewright.access.items.vault import NoVault
from tests.access.studio import Artist, main


@given(
    st.lists(
        st.tuples(*[st.text("a#%2", max_size=3) | st.none()] * 2, st.text("a#%3", min_size=1)), min_size=2
    )
)
def test_locks_of_different_values_have_different_keys(
    claims: list[tuple[str | None, str | None, str]],
) -> None:
    nickname = Artist.layout.fields["nickname"]
    keys = {
        lock_key(main, Artist.layout, nickname, {"studio": a, "city": b, "nickname": c})["PK"]["S"]
        for a, b, c in claims
    }
    assert len(keys) == len(set(claims))


def test_the_lock_key_of_a_long_value_is_hashed() -> None:
    artist = Artist(studio="s", artist_id="1", email="Ada@x", nickname="ada", city="Oslo")
    left = footprint(artist.changed(email="x" * 5000), NoVault())
    keys = [s.item["PK"]["S"] for s in left.dependents.values() if s.field and s.field.name == "email"]
    assert len(keys[0]) < 2048
    assert keys[0].startswith("_lock#ARTIST#email#%sha256#")
