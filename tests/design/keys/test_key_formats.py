"""Parts of keys that are derived from a field: days, cases, widths, shards."""

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta, timezone
from enum import Enum
from types import new_class
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright import BatchGet, Entity, Get, Index, Keys, Query, Table, fields
from tablewright.design.keys.templates import Template
from tablewright.design.patterns.patterns import Pattern
from tablewright.design.plans.key_conditions import parse_key_line
from tablewright.errors import DesignError, KeyValueError

LATE = datetime(2025, 8, 8, 23, 30, tzinfo=timezone(timedelta(hours=-2)))


class Colour(Enum):
    RED = "Red"


RENDERED = [
    ("AUDIT#{at:%Y-%m-%d}", LATE, "AUDIT#2025-08-09"),
    ("DUE#{at:%Y%m%d}", date(2025, 8, 8), "DUE#20250808"),
    ("MONTH#{at:%Y-%m}#", LATE, "MONTH#2025-08#"),
    ("{at:%Y-%m-%d}-{at:%H:%M:%S}", LATE, "2025-08-09-01:30:00"),
    ("{at:%Y}", date(33, 4, 3), "0033"),
    ("{at:%G-W%V}", date(2024, 12, 30), "2025-W01"),
    ("{at:%j}", date(2025, 2, 1), "032"),
    ("EMAIL#{at:lower}", "Ada@X.org", "EMAIL#ada@x.org"),
    ("{at:upper}#", Colour.RED, "RED#"),
    ("NICK#{at:fold}", " \N{FULLWIDTH LATIN CAPITAL LETTER A}da Groß", "NICK#ada gross"),
    ("{at:06d}", 42, "000042"),
    ("{at:06}", "42", "000042"),
    ("#{at:shard(8)}", "u1", "#6"),
    ("#{at:shard(100)}", 5, "#66"),
]


@pytest.mark.parametrize(("template", "value", "text"), RENDERED, ids=[each[0] for each in RENDERED])
def test_a_part_is_spelt(template: str, value: Any, text: str) -> None:
    made = Template(template)
    assert made.render({"at": value}) == text
    assert made.parse(text) is not None


REFUSED = [
    ("{at:%Y}", "2025-08-08", "must be a datetime or a date"),
    ("{at:%Y}", None, "at is None"),
    ("{at:%H}", date(2025, 8, 8), "is a date, and its key format %H needs a time; give a datetime"),
    ("{at:%Y}", datetime(2025, 8, 8), "has no time zone"),
    ("{at}", datetime(2025, 8, 8), "has no time zone"),
    ("{at:shard(2)}", None, "at is None"),
    ("{at:lower}#", "A#", "contains '#'"),
    ("{at:fold}#", "a\N{FULLWIDTH NUMBER SIGN}", "contains '#'"),
    ("{at:fold}", " ", "is empty"),
    ("{at:lower}", "", "is empty"),
    ("{at:02}", 100, "has more than the 2 digits"),
]


@pytest.mark.parametrize(("template", "value", "words"), REFUSED, ids=[each[2] for each in REFUSED])
def test_what_cannot_be_spelt_so_is_refused(template: str, value: Any, words: str) -> None:
    with pytest.raises(KeyValueError, match=words):
        Template(template).render({"at": value})


@pytest.mark.parametrize(
    ("template", "words"),
    [
        ("A#{at:%y}", 'in the key template "A#{at:%y}", the key format "%y" contains %y; use %Y, %m'),
        ("{at:shard(1)}", r"shard\(1\) has fewer than 2 shards"),
        ("{at:title}", '"title" is no key format; use 06, %Y-%m-%d, lower, upper, fold or shard'),
        ("{at:%Y-0}", "contains the digit 0"),
    ],
)
def test_what_is_no_spelling_is_refused(template: str, words: str) -> None:
    with pytest.raises(DesignError, match=words):
        Template(template)


def test_only_what_is_whole_can_be_read_back() -> None:
    template = Template("{user:shard(4)}#{at:%Y-%m-%d}#{email:lower}#{user}#{level:03}")
    assert template.parsed_names == ("user", "level")
    values = {"user": "u", "at": LATE, "email": "E", "level": 7}
    assert template.parse(template.render(values)) == {"user": "u", "level": "007"}
    assert template.parse("x#2025-08-09#e#u#007") is None


@given(moments=st.tuples(st.datetimes(timezones=st.just(UTC)), st.datetimes(timezones=st.just(UTC))))
def test_the_parts_of_moments_sort_as_moments(moments: tuple[datetime, datetime]) -> None:
    for spelling in ("%Y-%m-%d", "%Y%m%d", "%Y-%m", "%Y-%m-%dT%H", "%Y-%j", "%G-W%V"):
        one, other = (Template(f"{{at:{spelling}}}").render({"at": moment}) for moment in sorted(moments))
        assert one <= other
        assert len(one) == len(other)


@given(value=st.one_of(st.text(min_size=1), st.integers(), st.uuids()), count=st.integers(2, 300))
def test_a_shard_is_one_of_so_many(value: str | int | UUID, count: int) -> None:
    text = Template(f"{{v:shard({count})}}").render({"v": value})
    assert 0 <= int(text) < count
    assert len(text) == len(str(count - 1))


def test_shards_are_even() -> None:
    template = Template("{v:shard(8)}")
    counts = [0] * 8
    for number in range(8000):
        counts[int(template.render({"v": f"user-{number}"}))] += 1
    assert min(counts) > 900


def test_key_lines_take_all_spellings() -> None:
    line = "PK = A#{at:%Y-%m-%d %H}#{u:shard(8)} AND begins_with(SK, {u:shard(8)}#)"
    assert [str(clause) for clause in parse_key_line(line)] == [
        "PK = A#{at:%Y-%m-%d %H}#{u:shard(8)}",
        "begins_with(SK, {u:shard(8)}#)",
    ]


main = Table("spelt", key=("PK", "SK"), indexes=[Index("GSI1", "GSI1PK", "GSI1SK")])


class Audit(Entity, table=main, type="AUDIT"):
    audit_id: str
    user_id: str
    level: int
    created_at: fields.Timestamp
    keys = Keys(
        primary=("AUDIT#{created_at:%Y-%m-%d}", "{created_at}#{audit_id}"),
        GSI1=("USER#{user_id:shard(16)}", "{level:03}#{created_at:%Y%m%d}#{audit_id}"),
    )


def _define(base: Any, parameters: dict[str, Any], **settings: Any) -> type[Pattern[Any]]:
    body = {"__annotations__": parameters, "__module__": __name__, **settings}
    made = new_class("Audits", (base[Audit],), {}, lambda names: names.update(body))
    assert issubclass(made, Pattern)
    return made


def _clauses(base: Any, parameters: dict[str, Any], **settings: Any) -> list[str]:
    return [str(clause) for clause in _define(base, parameters, **settings).plan.clauses]


def test_the_key_is_found_by_the_field_or_by_its_part() -> None:
    day = "PK = AUDIT#{created_at:%Y-%m-%d}"
    assert _clauses(Query, {"created_at": date}) == [day]
    assert _clauses(Query, {"created_at": datetime}) == [day, "begins_with(SK, {created_at}#)"]
    whole = [day, "SK = {created_at}#{audit_id}"]
    assert _clauses(Get, {"created_at": fields.Timestamp, "audit_id": str}) == whole
    assert _clauses(BatchGet, {"created_at": list[fields.Timestamp], "audit_id": list[str]}) == whole
    assert _clauses(Query, {"user_id": str, "level": int}, index="GSI1") == [
        "GSI1PK = USER#{user_id:shard(16)}",
        "begins_with(GSI1SK, {level:03}#)",
    ]


@pytest.mark.parametrize(
    ("parameters", "key"),
    [
        ({"day": date}, "PK = AUDIT#{day}"),
        ({"day": datetime}, "PK = AUDIT#{day:%Y-%m-%d}"),
        ({"day": str}, "PK = AUDIT#{day}"),
        ({"day": date, "at": datetime}, "PK = AUDIT#{day} AND begins_with(SK, {at:%Y-%m-%dT%H})"),
        ({"shard": int}, "GSI1PK = USER#{shard:02}"),
        ({"shard": int, "a": int}, "GSI1PK = USER#{shard:02} AND begins_with(GSI1SK, {a})"),
        (
            {"shard": int, "a": int, "m": date},
            "GSI1PK = USER#{shard:02} AND GSI1SK begins_with {a:03}#{m:%Y%m}",
        ),
    ],
)
def test_a_pattern_may_name_the_part(parameters: dict[str, Any], key: str) -> None:
    _define(Query, parameters, key=key)


UNFIT: list[tuple[Callable[[], Any], str]] = [
    (
        lambda: _define(Query, {"day": str}, key="PK = AUDIT#{day:%Y-%m-%d}"),
        r"Audits formats day as \{day:%Y-%m-%d\} in its key; make the parameter a Timestamp or a date",
    ),
    (
        lambda: _define(Query, {"day": date}, key="PK = AUDIT#{day:%Y%m%d}"),
        r"where \{day:%Y%m%d\} has another format; this never matches: write \{day:%Y-%m-%d\}",
    ),
    (
        lambda: _define(Query, {"at": datetime}, key="PK = AUDIT#{at}"),
        r"Audits reads PK = AUDIT#\{at\}, but Audit writes .* write \{at:%Y-%m-%d\}",
    ),
    (
        lambda: _define(Query, {"day": date, "at": date}, key="PK = AUDIT#{day} AND begins_with(SK, {at}#)"),
        r"where \{at\} has another format; .* make at a Timestamp",
    ),
    (
        lambda: _define(Query, {"shard": int}, key="GSI1PK = USER#{shard}"),
        r"where \{shard\} has another format; .* write \{shard:02\}",
    ),
    (
        lambda: _define(Query, {"s": str, "a": int}, key="GSI1PK = USER#{s} AND GSI1SK begins_with {a}#"),
        r"where \{a\} has another format; .* write \{a:03\}",
    ),
    (
        lambda: _define(Get, {"created_at": date, "audit_id": str}),
        r'Audits needs created_at as a Timestamp for SK = "\{created_at\}#\{audit_id\}"',
    ),
]


@pytest.mark.parametrize(("define", "words"), UNFIT)
def test_what_is_never_found_so_is_refused(define: Callable[[], Any], words: str) -> None:
    with pytest.raises(DesignError, match=words):
        define()


@pytest.mark.parametrize(
    ("kind", "spelling", "words"),
    [
        (str, "%Y", r"Odd formats v, a str, as \{v:%Y\} in the key .* make it a Timestamp or a date"),
        (date, "%Y%H", "make it a Timestamp, or remove the format"),
        (int, "lower", "make it a str"),
        (datetime, "06", "make it an int"),
    ],
)
def test_a_field_fits_its_spelling(kind: type, spelling: str, words: str) -> None:
    body = {"__annotations__": {"v": kind}, "__module__": __name__, "keys": Keys(("A", f"{{v:{spelling}}}"))}
    with pytest.raises(DesignError, match=words):
        new_class("Odd", (Entity,), {"table": main}, lambda names: names.update(body))
