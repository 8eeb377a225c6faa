"""Rules for vectors: fields that do not fit a vector index, and searches that cannot work, are rejected."""

from collections.abc import Callable
from typing import Annotated, Any

import pytest

from tablewright import Entity, Index, Keys, Nearest, Table, VectorIndex, fields
from tablewright.design.validation.vector_rules import search_template, vector_field
from tablewright.errors import DesignError

main = Table(
    "notes",
    key=("PK", "SK"),
    indexes=[Index("GSI1", "GSI1PK")],
    vector_indexes=[
        VectorIndex("by-meaning", "meaning", 3, partition="tenant", filters=("kind", "type")),
        VectorIndex("by-sound", "sound", 2, partition="GSI1PK"),
        VectorIndex("by-tone", "sound", 2, distance="EUCLIDEAN"),
        VectorIndex("by-place", "place", 2, projection="KEYS_ONLY"),
    ],
)
Meaning = Annotated[list[float], fields.Vector(3)]


class Note(Entity, table=main, type="NOTE"):
    note_id: str
    tenant: str
    kind: str
    meaning: Meaning
    sound: Annotated[list[float] | None, fields.Vector(2)] = None
    place: Annotated[list[float] | None, fields.Vector(2)] = None
    keys = Keys(primary=("NOTE#{note_id}", "NOTE"), GSI1=("TENANT#{tenant}",))


class Tag(Entity, table=main, type="TAG"):
    tag_id: str
    keys = Keys(primary=("TAG#{tag_id}", "TAG"))


class Mood(
    Entity,
    table=Table(
        "moods", key="id", vector_indexes=[VectorIndex("by-feeling", "feeling", 2, partition="tenant")]
    ),
):
    id: str
    feeling: Annotated[list[float], fields.Vector(2)]


def field(annotation: Any, name: str = "meaning", table: Table = main) -> type:
    """An entity with one more field."""
    members = {"__annotations__": {"id": str, name: annotation}, "keys": Keys(primary=("X#{id}", "X"))}
    metaclass: Any = type(Entity)
    defined: type = metaclass("Thing", (Entity,), {**members, "__module__": __name__}, table=table)
    return defined


FIELDS: dict[str, tuple[Any, str]] = {
    "no list": (
        Annotated[str, fields.Vector(3)],
        "Thing.meaning is a Vector, which must be a list of numbers, not a str",
    ),
    "a list of texts": (Annotated[list[str], fields.Vector(3)], "must be a list of numbers, not a list"),
    "no size": (
        list[float],
        r"Thing.meaning is stored as meaning, the vector of by-meaning, and has no size; declare it as "
        r"Annotated\[list\[float\], fields.Vector\(3\)\]",
    ),
    "another size": (
        Annotated[list[float], fields.Vector(4)],
        "the vector of by-meaning, and has 4 dimensions, but the index has 3; make them the same",
    ),
    "a secret": (
        Annotated[list[float], fields.Vector(3), fields.Encrypted()],
        "the vector of by-meaning, and is a secret, which cannot be searched",
    ),
}


@pytest.mark.parametrize(("annotation", "message"), FIELDS.values(), ids=FIELDS.keys())
def test_fields_that_cannot_be_vectors_are_rejected(annotation: Any, message: str) -> None:
    with pytest.raises(DesignError, match=message):
        field(annotation)


@pytest.mark.parametrize(
    ("annotation", "message"),
    [
        (
            int,
            r"Thing.kind is searched in by-meaning as kind of type S, and is stored as a number; declare Table\(..., "
            r'types=\{"kind": "N"\}\)',
        ),
        (bool, "is stored as a boolean; a partition and a filter can be text, a number or bytes"),
        (Annotated[str, fields.Encrypted()], "Thing.kind is searched in by-meaning as kind, and is a secret"),
    ],
)
def test_filters_of_another_type_are_rejected(annotation: Any, message: str) -> None:
    with pytest.raises(DesignError, match=message):
        field(annotation, "kind")


@pytest.mark.parametrize(
    "index",
    [
        VectorIndex("by-tag", "tag_vector", 3),
        VectorIndex("by-tag", "other", 3, partition="tag_vector"),
        VectorIndex("by-tag", "other", 3, filters="tag_vector"),
    ],
)
def test_an_index_has_stored_names(index: VectorIndex) -> None:
    message = (
        "vector index by-tag has tag_vector, which Thing stores as tagVector; an index has the names of stored "
        'attributes: write "tagVector"'
    )
    with pytest.raises(DesignError, match=message):
        field(str, "tag_vector", Table("things", key=("PK", "SK"), vector_indexes=[index]))


@pytest.mark.parametrize("size", [0, 4097, "3", True])
def test_a_vector_has_1_to_4096_dimensions(size: Any) -> None:
    with pytest.raises(DesignError, match="a vector has 1 to 4096 dimensions"):
        fields.Vector(size)


def search(entity: Any = Note, **members: Any) -> Any:
    """A Nearest; annotations are given in capitals: MEANING=list[float]."""
    annotations = {name.lower(): kind for name, kind in members.items() if name.isupper()}
    settings = {name: value for name, value in members.items() if not name.isupper()}
    body = {"__annotations__": annotations, "__module__": __name__, **settings}
    metaclass: Any = type(Nearest)
    return metaclass("Search", (Nearest[entity],), body)


SEARCHES: dict[str, tuple[Callable[[], Any], str]] = {
    "an entity without vectors": (
        lambda: search(Tag, MEANING=list[float]),
        "Search searches Tag, which is in no vector index; add a vector index of one of its fields to notes; its "
        "vector indexes are: by-meaning of meaning",
    ),
    "an entity without this vector": (
        lambda: search(Tag, MEANING=list[float], index="by-meaning"),
        "but Tag has no field that is stored as meaning, its vector, and is never returned",
    ),
    "an unknown index": (
        lambda: search(MEANING=list[float], index="by-words"),
        "table notes has no vector index by-words; it has: by-meaning, by-sound, by-tone, by-place",
    ),
    "a secondary index": (lambda: search(MEANING=list[float], index="GSI1"), "has no vector index GSI1"),
    "several indexes": (
        lambda: search(SOUND=list[float]),
        'Search may search by-sound, by-tone; name one of them: index = "by-sound"',
    ),
    "no vector": (
        lambda: search(TENANT=str, index="by-meaning"),
        r"Search has no vector to search by-meaning with; add the parameter meaning: list\[float\]",
    ),
    "a text as the vector": (
        lambda: search(MEANING=str, TENANT=str),
        r"Search searches with meaning, a str; declare it as meaning: list\[float\]",
    ),
    "no partition": (
        lambda: search(MEANING=list[float]),
        r'Search needs tenant for tenant = "\{tenant\}", the partition of by-meaning; add it as a parameter',
    ),
    "a parameter without a use": (
        lambda: search(MEANING=list[float], TENANT=str, AUTHOR=str),
        "has the parameter author, which neither its key nor its filter uses",
    ),
    "a partition of another type": (
        lambda: search(MEANING=list[float], TENANT=int),
        "compares tenant with tenant: tenant is text and never matches a number; give tenant the type of tenant",
    ),
    "a key that never matches": (
        lambda: search(SOUND=list[float], TENANT=str, index="by-sound", key="GSI1PK = USER#{tenant}"),
        r'searches GSI1PK = USER#\{tenant\}, but Note writes GSI1PK = "TENANT#\{tenant\}"',
    ),
    "an entity without the partition": (
        lambda: search(Mood, FEELING=list[float]),
        "searches by-feeling by tenant, which Mood does not have, so it is never returned; add a field that is stored",
    ),
    "a range": (
        lambda: search(MEANING=list[float], TENANT=str, key="tenant >= {tenant}"),
        "a search compares an attribute once, and with = only",
    ),
    "a key that is no filter": (
        lambda: search(MEANING=list[float], TENANT=str, key="tenant = {tenant}, noteId = n1"),
        "neither the partition nor a filter of by-meaning; these are: tenant, kind, type",
    ),
    "a filter that is a range": (
        lambda: search(MEANING=list[float], TENANT=str, filter="kind > 'a'"),
        "a search compares each of its filters once, with =, joined with AND",
    ),
    "a filter with OR": (
        lambda: search(MEANING=list[float], TENANT=str, filter="kind = 'a' OR kind = 'b'"),
        "with =, joined with AND",
    ),
    "a filter twice": (
        lambda: search(MEANING=list[float], TENANT=str, filter="kind = 'a' AND kind = 'b'"),
        "compares each of its filters once",
    ),
    "a filter on another field": (
        lambda: search(MEANING=list[float], TENANT=str, filter="note_id = 'a'"),
        "on note_id, which is not a filter of by-meaning; add it to the filters of by-meaning",
    ),
    "a filter on the partition": (
        lambda: search(MEANING=list[float], filter="tenant = 'a'"),
        'on tenant, which is the partition of by-meaning; compare it in the key: key = "tenant = ..."',
    ),
    "an index without the fields": (
        lambda: search(PLACE=list[float]),
        "Search reads Note from by-place, which lacks .*tenant.*; add to the projection of by-place: noteId, tenant",
    ),
    "a limit of none": (
        lambda: search(MEANING=list[float], TENANT=str, limit=0),
        "has limit = 0; a search returns 1 to 100",
    ),
    "a limit of too many": (lambda: search(MEANING=list[float], TENANT=str, limit=101), "has limit = 101"),
    "pages": (
        lambda: search(MEANING=list[float], TENANT=str, page_size=5),
        "has page_size, but a Nearest has no pages; write limit = 5",
    ),
    "an order": (
        lambda: search(MEANING=list[float], TENANT=str, descending=True),
        "has descending = True, but a Nearest has no order",
    ),
    "consistency": (
        lambda: search(MEANING=list[float], TENANT=str, consistent=True),
        "Search has consistent, which a Nearest does not have; remove it",
    ),
}


@pytest.mark.parametrize(("make", "message"), SEARCHES.values(), ids=SEARCHES.keys())
def test_searches_that_cannot_work_are_rejected(make: Callable[[], Any], message: str) -> None:
    with pytest.raises(DesignError, match=message):
        make()


def test_the_template_of_a_searched_attribute() -> None:
    templates = [search_template(Note.layout, name) for name in ("tenant", "GSI1PK", "type", "PK", "other")]
    assert [template and template.text for template in templates] == [
        "{tenant}", "TENANT#{tenant}", "NOTE", "NOTE#{note_id}", None
    ]  # fmt: skip
    found = vector_field(Note.layout, main.vector_index("by-tone"))
    assert found is not None
    assert found.name == "sound"
    assert vector_field(Tag.layout, main.vector_index("by-tone")) is None
