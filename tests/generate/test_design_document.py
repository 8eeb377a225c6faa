"""The design document contains every table, entity, field, index and pattern, with example items."""

from enum import Enum
from pathlib import Path
from typing import Annotated

import pytest
from pydantic import field_validator
from tablewright_systems.registry import SYSTEMS

from tablewright import Copy, Design, Entity, Get, Index, Keys, Sparse, Table, billing, fields
from tablewright.generate.design_document import HEAD, Chapter, document, pattern_row
from tablewright.generate.html import html
from tablewright.generate.markdown import markdown
from tests.generate.library import design
from tests.generate.library import design as library

GOLDEN = Path(__file__).parent.parent / "cases" / "generate" / "library.md"

main = Table(
    "main",
    key="PK",
    indexes=[Index("open", "x", projection=["name"])],
    ttl="ttl",
    billing=billing.Provisioned(1, 2),
)


class User(Entity, table=main, type="USER"):
    """A user.

    More text.
    """

    name: str | None
    user_id: Annotated[str, fields.Unique()]
    created_at: fields.Timestamp = fields.now()
    keys = Keys(primary="USER#{user_id}", open=Sparse("OPEN", when="name"))
    twin = Copy(primary="TWIN#{user_id}")


class UserById(Get[User]):
    """Get a user."""

    user_id: str


DESIGN = Design("app", entities=[User], patterns=[UserById], suppress={"TW601": "known"})


def test_the_document_of_a_small_design(update_golden: bool) -> None:
    text = markdown(library)
    if update_golden:
        GOLDEN.write_text(text)
    assert text == GOLDEN.read_text()


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: system.name)
def test_nothing_is_missing(system: object) -> None:
    design: Design = system.design  # type: ignore[attr-defined]
    text, page = markdown(design).replace("\\", ""), html(design)
    names = [table.name for table in design.tables]
    names += [index.name for table in design.tables for index in table.indexes]
    names += [entity.__name__ for entity in design.entities]
    names += [name for entity in design.entities for name in entity.layout.fields]
    names += [plan.name for plan in design.plans]
    assert [name for name in names if name not in text] == []
    assert [name for name in names if name not in page] == []


def test_chapters() -> None:
    found = document(DESIGN)
    assert found.paragraphs == ("1 table, 1 entity, 1 access pattern.",)
    table, patterns, accepted = found.parts
    assert table.paragraphs == ("Provisioned with 1 read and 2 write units; TTL attribute ttl.",)
    assert table.grids[0].rows == (("(table)", "PK", "", "all attributes"), ("open", "x", "", "keys, name"))
    assert [part.title for part in table.parts] == ["Item collections of main", "User"]
    assert [row[0] for row in patterns.grids[0].rows] == ["UserById"]
    assert accepted.grids[0].rows == (("TW601", "known"),)


def test_an_entity_has_its_keys_and_fields() -> None:
    user: Chapter = document(DESIGN).parts[0].parts[1]
    assert user.paragraphs == ("A user.", "Stored with type = USER.")
    keys, rows = (grid.rows for grid in user.grids)
    assert keys == (
        ("(table)", "PK = USER#{user_id}", "always"),
        ("open", "x = OPEN", "name is not empty"),
        ("copy twin", "PK = TWIN#{user_id}", "always"),
    )
    assert rows == (
        ("name", "name", "str, optional", ""),
        ("user_id", "userId", "str", "unique"),
        ("created_at", "createdAt", "datetime", "set when created"),
    )


class Picky(Entity, table=Table("picky", key="PK")):
    name: str
    keys = Keys(primary="P#{name}")

    @field_validator("name")
    @classmethod
    def _never(cls, value: str) -> str:
        raise ValueError("no name is good enough")


def test_a_design_without_samples_is_documented() -> None:
    found = document(Design("picky", entities=[Picky]))
    assert "There are no example items: cannot generate a sample of Picky" in found.paragraphs[1]
    assert [part.title for part in found.parts[0].parts] == ["Picky"]


class Color(Enum):
    RED = "red"
    BLUE = "blue"


class Car(Entity, table=Table("cars", key=("PK", "SK")), type="CAR"):
    car_id: str = fields.new_id()
    country: str
    plate: Annotated[str, fields.Unique(within=("country",))]
    color: Color = Color.RED
    token: Annotated[str, fields.Encrypted()]
    keys = Keys(primary=("CAR#{car_id}", "CAR"))
    listed = Copy(primary=("CARS", "{car_id}"), fields=("car_id", "color"))


def test_notes_tell_values_scopes_and_copied_fields() -> None:
    text = markdown(Design("cars", entities=[Car])).replace("\\", "")
    assert "| `car_id` | carId | str | new ULID by default |" in text
    assert "| `plate` | plate | str | unique within country |" in text
    assert "| `color` | color | Color | one of red, blue |" in text
    assert "| `copy listed` | PK = CARS, SK = {car_id} | always; has car_id, color |" in text
    assert text.count("Encryption keys of the secret fields.") == 1


def test_an_entity_shows_the_writes_that_it_does_not_allow() -> None:
    class Entry(Entity, table=Table("log", key="id"), writes={"create"}):
        id: str

    class Note(Entity, table=Table("notes", key="id"), writes={"create", "update"}):
        id: str

    text = markdown(Design("log", entities=[Entry, Note]))
    assert "Never updated or deleted after it is created." in text
    assert "Never deleted after it is created." in text


ROWS = {plan.name: dict(zip(HEAD, pattern_row(plan), strict=True)) for plan in design.plans}


def test_a_get_reads_one_item() -> None:
    assert ROWS["MemberById"] == {
        "pattern": "MemberById",
        "description": "Get a member.",
        "call": "GetItem, consistent",
        "index": "(table)",
        "key condition": "PK = MEMBER#{member_id} AND SK = PROFILE",
        "filter": "",
        "order": "",
        "parameters": "member_id: str",
        "returns": "Member",
        "cost": "1 RCU",
    }


def test_a_query_has_an_order_and_a_cost() -> None:
    row = ROWS["LoansOfMember"]
    assert (row["order"], row["cost"], row["returns"]) == (
        "SK descending",
        "2.5 RCU for 20 items",
        "list of Loan",
    )
    assert ROWS["BlockedMembers"]["cost"] == "0.5 RCU per 4 KB"
    assert ROWS["MembersById"]["cost"] == "0.5 RCU per item"


def test_filters_projections_and_defaults_are_shown() -> None:
    assert ROWS["BooksOnTopic"]["filter"] == "status = {status}"
    assert ROWS["BooksOnTopic"]["parameters"] == "topic: str, status: Status = available"
    assert ROWS["LoansDue"]["returns"] == "list of Loan (title, due_on)"
    assert ROWS["MembersById"]["parameters"] == "member_id: list of str"
    assert ROWS["AllBooks"]["key condition"] == "all items"


def test_a_read_by_a_lock_costs_two_reads() -> None:
    class Member(Entity, table=Table("members", key=("PK", "SK")), type="MEMBER"):
        member_id: str
        email: Annotated[
            str, fields.Unique(key=("EMAIL#{email}", "LOCK"), attributes={"memberId": "{member_id}"})
        ]
        keys = Keys(primary=("MEMBER#{member_id}", "MEMBER"))

    class MemberByEmail(Get[Member]):
        email: str
        key = "PK = EMAIL#{email} AND SK = LOCK"
        consistent = True

    row = dict(zip(HEAD, pattern_row(MemberByEmail.__plan__), strict=True))
    assert (row["call"], row["cost"]) == ("GetItem (lock, then owner), consistent", "2 RCU")


def test_references_have_a_chapter_and_notes() -> None:
    forum = Table("forum", key=("PK", "SK"))

    class Member(Entity, table=forum, type="MEMBER"):
        member_id: str
        email: Annotated[str, fields.Unique()]
        keys = Keys(primary=("MEMBER#{member_id}", "MEMBER"))

    class Post(Entity, table=forum, type="POST"):
        member_id: Annotated[str, fields.OwnedBy(Member)]
        post_id: str
        reader_ids: Annotated[list[str], fields.References(Member)]
        editor: Annotated[str, fields.References(Member, field="email")]
        keys = Keys(primary=("MEMBER#{member_id}", "POST#{post_id}"))

    described = document(Design("forum", entities=[Member, Post]))
    chapter = next(part for part in described.parts if part.title == "References")
    assert chapter.grids[0].rows == (
        (
            "Post.member_id",
            "Member (member_id = member_id)",
            "the primary key",
            "yes, listed by PK = MEMBER#{member_id} AND begins_with(SK, POST#)",
        ),
        ("Post.reader_ids", "each is Member (member_id = reader_ids)", "the primary key", ""),
        ("Post.editor", "Member (email = editor)", "the lock of email", ""),
    )
    text = markdown(Design("forum", entities=[Member, Post]))
    assert "| `member_id` | memberId | str | owned by Member |" in text
    assert "| `editor` | editor | str | refers to Member.email |" in text
    assert not any(part.title == "References" for part in document(Design("forum", entities=[Member])).parts)
