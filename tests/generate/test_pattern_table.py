"""The pattern table lists what each access pattern does."""

from typing import Annotated

from tablewright import Entity, Get, Keys, Table, fields
from tablewright.generate.pattern_table import HEAD, pattern_row
from tests.generate.library import design

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
