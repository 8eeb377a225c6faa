"""Eight faults that the validator of the awslabs generator accepts, all in one schema."""

import pytest

from tablewright.checks.runner import check
from tablewright.design.designs import Design
from tablewright.design.entities.entities import Entity
from tablewright.design.indexes import Index
from tablewright.design.keys.keys import Keys
from tablewright.design.patterns import Get, Query, Scan
from tablewright.design.tables import Table
from tablewright.errors import DesignError


def shop(*, literal: bool) -> Table:
    indexes = [Index("by-email", "email"), Index("unused", "unusedKey")]
    return Table("shop", key=("PK", "SK"), indexes=indexes, literal=literal)


strict, literal = shop(literal=False), shop(literal=True)


class Customer(Entity, table=strict, type="CUSTOMER"):
    customer_id: str
    keys = Keys(primary=("CUSTOMER#{customer_id}", "PROFILE"))


class Twin(Entity, table=strict, type="CUSTOMER"):
    customer_id: str
    keys = Keys(primary=("CUSTOMER#{customer_id}", "PROFILE"))


class Sibling(Entity, table=strict, type="SIBLING"):
    customer_id: str
    keys = Keys(primary=("CUSTOMER#{customer_id}", "PROFILE"))


class AllCustomers(Scan[Customer]):
    pass


def test_a_template_with_an_unknown_field() -> None:
    with pytest.raises(DesignError, match="Order has no field order_number"):

        class Order(Entity, table=strict, type="ORDER"):
            order_id: str
            keys = Keys(primary=("ORDER#{order_id}", "LINE#{order_number}"))


def test_an_unused_parameter() -> None:
    with pytest.raises(DesignError, match="ByColour has the parameter colour, which neither its key nor"):

        class ByColour(Query[Customer]):
            customer_id: str
            colour: str
            key = "PK = CUSTOMER#{customer_id}"


def test_a_get_without_parameters() -> None:
    with pytest.raises(DesignError, match="TheCustomer needs customer_id"):

        class TheCustomer(Get[Customer]):
            pass


def test_a_query_of_an_index_without_the_entity() -> None:
    with pytest.raises(DesignError, match="reads by-email, but Customer has no key there"):

        class ByEmail(Query[Customer]):
            email: str
            key = "email = {email}"


def test_a_key_of_an_optional_object() -> None:
    with pytest.raises(DesignError, match=r"uses address, a dict, in the key"):

        class Delivery(Entity, table=strict, type="DELIVERY"):
            address: dict[str, str] | None = None
            keys = Keys(primary=("DELIVERY#{address}", "META"))


def test_two_entities_of_one_type() -> None:
    with pytest.raises(DesignError, match=r"Customer and Twin both have the type 'CUSTOMER' in shop; .* own"):
        Design("shop", entities=[Customer, Twin])


def test_a_scan_an_unused_index_and_two_entities_with_one_key() -> None:
    report = check(Design("shop", entities=[Customer, Sibling], patterns=[AllCustomers]))
    found = {(finding.code, finding.where) for finding in report}
    assert {
        ("TW107", "Customer"),
        ("TW303", "AllCustomers"),
        ("TW306", "shop.unused"),
    } <= found
    assert report.has_errors


class LiteralCustomer(Entity, table=literal, type="CUSTOMER"):
    customer_id: str
    address: dict[str, str] | None = None
    keys = Keys(primary=("CUSTOMER#{address}", "LINE#{customer_number}"))


class NoParameters(Get[LiteralCustomer]):
    pass


class OtherParameters(Query[LiteralCustomer]):
    colour: str
    key = "PK = CUSTOMER"


class OtherIndex(Query[LiteralCustomer]):
    email: str
    key = "email = {email}"


def test_the_same_faults_are_findings_in_a_literal_table() -> None:
    design = Design("shop", entities=[LiteralCustomer], patterns=[NoParameters, OtherParameters, OtherIndex])
    report = check(design)
    assert {(finding.code, finding.where) for finding in report if finding.severity == "error"} == {
        ("TW003", "LiteralCustomer.customer_number"),
        ("TW005", "NoParameters"),
        ("TW005", "OtherParameters"),
        ("TW006", "OtherIndex"),
        ("TW101", "LiteralCustomer.address"),
        ("TW102", "LiteralCustomer.address"),
    }
