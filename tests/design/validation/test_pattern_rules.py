"""Rules for access patterns: settings, parameters and key conditions that can never match."""

from collections.abc import Callable
from datetime import date, datetime
from typing import Annotated, Any, ClassVar

import pytest
from pydantic import AfterValidator, Field

from tablewright import Entity, Find, Get, Index, Keys, Query, Table, fields
from tablewright.design.plans.plans import PatternSettings
from tablewright.errors import DesignError
from tests.design.definitions import define_pattern

main = Table("main", key=("PK", "SK"), indexes=[Index("GSI1", "GSI1PK", "GSI1SK")])
other = Table("other", key="id")


class Audit(Entity, table=main, type="AUDIT"):
    audit_id: str
    user_id: str
    level: int
    created_at: fields.Timestamp
    keys = Keys(
        primary=("AUDIT#{created_at:%Y-%m-%d}", "{created_at}#{audit_id}"),
        GSI1=("USER#{user_id:shard(16)}", "{level:03}#{created_at:%Y%m%d}#{audit_id}"),
    )


class Thing(Entity, table=main, type="THING"):
    a: str
    kind: str
    keys = Keys(primary=("A#{a}", "{kind}"))


class Elsewhere(Entity, table=other):
    id: str


def audits(parameters: dict[str, Any], key: str | None = None, base: Any = Query) -> Callable[[], Any]:
    settings = {} if key is None else {"key": key}
    return lambda: define_pattern(base, Audit, parameters, **settings)


def things(parameters: dict[str, Any], base: Any = Query, **settings: Any) -> Callable[[], Any]:
    return lambda: define_pattern(base, Thing, parameters, **settings)


INVALID = {
    "a format for another type": (
        audits({"day": str}, "PK = AUDIT#{day:%Y-%m-%d}"),
        r"Things formats day as \{day:%Y-%m-%d\} in its key; make day a Timestamp or a date",
    ),
    "another format": (
        audits({"day": date}, "PK = AUDIT#{day:%Y%m%d}"),
        r"where \{day:%Y%m%d\} has another format; this never matches: write \{day:%Y-%m-%d\}",
    ),
    "a time instead of a day": (
        audits({"at": datetime}, "PK = AUDIT#{at}"),
        r"Things reads PK = AUDIT#\{at\}, but Audit writes .* write \{at:%Y-%m-%d\}",
    ),
    "a day instead of a time": (
        audits({"day": date, "at": date}, "PK = AUDIT#{day} AND begins_with(SK, {at}#)"),
        r"where \{at\} has another format; .* make at a Timestamp",
    ),
    "a shard without its width": (
        audits({"shard": int}, "GSI1PK = USER#{shard}"),
        r"where \{shard\} has another format; .* write \{shard:02\}",
    ),
    "a number without its width": (
        audits({"s": str, "a": int}, "GSI1PK = USER#{s} AND GSI1SK begins_with {a}#"),
        r"where \{a\} has another format; .* write \{a:03\}",
    ),
    "a day for a key with a time": (
        audits({"created_at": date, "audit_id": str}, base=Get),
        r'Things needs created_at as a Timestamp for SK = "\{created_at\}#\{audit_id\}"',
    ),
    "no equality for the partition key": (
        things({"a": str}, key="begins_with(PK, A#{a})"),
        r"Things has no equality for the partition key PK; add PK = \.\.\. to its key",
    ),
    "another prefix than the entity writes": (
        things({"a": str}, key="PK = B#{a}"),
        r'Things reads PK = B#\{a\}, but Thing writes PK = "A#\{a\}"; this never matches',
    ),
    "an index without the entity": (
        things({"a": str}, key="GSI1PK = {a}"),
        "Things reads GSI1, but Thing has no key there and is never returned",
    ),
    "a get of an index": (
        audits({"s": int}, "GSI1PK = USER#{s:02}", base=Get),
        "Things gets an item from the index GSI1; read an index with Find or Query",
    ),
    "a get without the sort key": (
        things({"a": str}, base=Get, key="PK = A#{a}"),
        "Things gets one item without its sort key SK",
    ),
    "an unused parameter": (
        things({"a": str, "b": str}, key="PK = A#{a}"),
        "Things has the parameter b, which neither its key nor its filter uses; use or remove it",
    ),
    "a missing parameter": (
        things({}, key="PK = A#{a}"),
        "Things uses a in its key, but has no such parameter; it has: none",
    ),
    "an unknown returned field": (
        things({"a": str}, key="PK = A#{a}", fields=("kin",)),
        r"Things returns the field kin, which is not a field of Thing; did you mean kind\?",
    ),
    "entities of two tables": (
        lambda: define_pattern(Query, Thing | Elsewhere, {"a": str}),  # type: ignore[arg-type]
        "Things reads Elsewhere from other and others from main; write a pattern for each table",
    ),
}


@pytest.mark.parametrize(("define", "message"), INVALID.values(), ids=INVALID.keys())
def test_invalid_patterns_are_rejected(define: Callable[[], Any], message: str) -> None:
    with pytest.raises(DesignError, match=message):
        define()


@pytest.mark.parametrize(
    ("parameters", "key"),
    [
        ({"day": date}, "PK = AUDIT#{day}"),
        ({"day": datetime}, "PK = AUDIT#{day:%Y-%m-%d}"),
        ({"day": str}, "PK = AUDIT#{day}"),
        ({"day": date, "at": datetime}, "PK = AUDIT#{day} AND begins_with(SK, {at:%Y-%m-%dT%H})"),
        ({"shard": int}, "GSI1PK = USER#{shard:02}"),
        ({"shard": int, "a": int}, "GSI1PK = USER#{shard:02} AND begins_with(GSI1SK, {a:03})"),
        (
            {"shard": int, "a": int, "m": date},
            "GSI1PK = USER#{shard:02} AND GSI1SK begins_with {a:03}#{m:%Y%m}",
        ),
    ],
)
def test_parameters_may_have_other_names_than_the_fields(parameters: dict[str, Any], key: str) -> None:
    audits(parameters, key)()
    audits(parameters, key, base=Find)()


@pytest.mark.filterwarnings("error")  # pydantic warns of hidden attributes in its own words
@pytest.mark.parametrize(
    ("name", "owner"),
    [
        *((name, "setting of every pattern") for name in sorted(PatternSettings.__class_vars__)),
        *(
            (name, "method of every pydantic model")
            for name in ("copy", "json", "dict", "schema", "validate")
        ),
    ],
)
def test_names_of_settings_are_reserved(name: str, owner: str) -> None:
    message = f"Things has a parameter {name}, which is a {owner}; write {name}_: str = Field"
    with pytest.raises(DesignError, match=message):
        things({"a": str, name: str})()


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    "name", ["kind", "plan", "items", "newest_first", "limit", "cursor", "keys", "layout"]
)
def test_other_names_are_free(name: str) -> None:
    pattern = define_pattern(Query, Thing, {"a": str, name: str}, key=f"PK = A#{{a}} AND SK = {{{name}}}")
    assert getattr(pattern(**{"a": "1", name: "x"}), name) == "x"
    assert pattern.__plan__.kind == "query"


def test_a_setting_may_be_annotated_as_class_variable() -> None:
    class Things(Query[Thing]):
        key: ClassVar[str | None] = "PK = A#{a}"
        a: str

    assert str(Things.__plan__.clauses[0]) == "PK = A#{a}"


def test_a_parameter_with_another_name_replaces_a_reserved_one() -> None:
    class Things(Query[Thing]):
        a: str
        key_: str = Field(alias="key")
        key = "PK = A#{a} AND SK = {key_}"

    assert Things(a="1", key="x").key_ == "x"


places = Table("places", "userId", [Index("by-place", ("country", "city"), ("street", "floor", "userId"))])


class Resident(Entity, table=places):
    user_id: str
    country: str
    city: str
    street: str
    floor: str


PLACE = "country = {country} AND city = {city}"


@pytest.mark.parametrize(
    ("rest", "words"),
    [
        ("floor = {floor}", "compares floor of by-place without street"),
        ("street = {street} AND userId = {user_id}", "compares userId of by-place without floor"),
        ("street > {street} AND floor = {floor}", "only the last sort attribute"),
    ],
)
def test_sort_attributes_of_an_index_are_compared_in_order(rest: str, words: str) -> None:
    names = [name for name in Resident.model_fields if f"{{{name}}}" in f"{PLACE} {rest}"]
    namespace = {"__annotations__": dict.fromkeys(names, str), "key": f"{PLACE} AND {rest}"}
    with pytest.raises(DesignError, match=words):
        type("Residents", (Query[Resident],), namespace)


def test_sort_attributes_may_end_with_a_range() -> None:
    class Residents(Query[Resident]):
        country: str
        city: str
        street: str
        floor: str
        key = f"{PLACE} AND street = {{street}} AND begins_with(floor, {{floor}})"

    assert Residents.__plan__.index is places.indexes[0]


def _trimmed(text: str) -> str:
    return text.strip()


@pytest.mark.parametrize(
    ("field", "index", "words"),
    [
        (
            fields.Unique(normalise=fields.fold),
            "GSI1",
            r"finds Person by email, which is Unique\(normalise=fold\), but GSI1PK = .* has the value as it was "
            r"given: a value in another form is not found; write {email:fold} in the key of Person",
        ),
        (fields.Unique(normalise=_trimmed), "GSI1", r"email: Annotated\[..., AfterValidator\(_trimmed\)\]"),
        (fields.Unique(normalise=str.lower), "by-email", r"AfterValidator\(lower\)"),
    ],
)
def test_a_search_for_a_value_that_only_the_lock_normalises_is_refused(
    field: Any, index: str, words: str
) -> None:
    mails = Table("mails", ("PK", "SK"), [Index("GSI1", "GSI1PK"), Index("by-email", "email")])

    class Person(Entity, table=mails, type="PERSON"):
        person_id: str
        email: Annotated[str, field]
        keys = Keys(primary=("PERSON#{person_id}", "PERSON"), GSI1="MAIL#{email}")

    with pytest.raises(DesignError, match=words):
        type("PersonByEmail", (Find[Person],), {"__annotations__": {"email": str}, "index": index})


def test_a_search_by_a_normalised_key_or_field_is_accepted() -> None:
    mails = Table("mails", ("PK", "SK"), [Index("GSI1", "GSI1PK"), Index("GSI2", "GSI2PK", "GSI2SK")])

    class Person(Entity, table=mails, type="PERSON"):
        person_id: str
        email: Annotated[str, fields.Unique(normalise=fields.fold)]
        nick: Annotated[str, AfterValidator(fields.fold), fields.Unique(normalise=fields.fold)]
        keys = Keys(
            primary=("PERSON#{person_id}", "PERSON"),
            GSI1="MAIL#{email:fold}",
            GSI2=("NICK#{nick}", "{email}"),
        )

    class PersonByEmail(Find[Person]):
        email: str
        index = "GSI1"

    class PersonByNick(Find[Person]):
        nick: str
        index = "GSI2"

    class PersonsLike(Query[Person]):
        nick: str
        start: str
        key = "GSI2PK = NICK#{nick} AND begins_with(GSI2SK, {start})"

    assert PersonByNick(nick="Ada").nick == "ada"
