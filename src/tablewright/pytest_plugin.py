"""The pytest plugin: fixtures with a new, empty DynamoDB for each test.

pytest loads this module in every run where Tablewright is installed, so it imports nothing slow at the top.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tablewright import Clock
    from tablewright.connections import Embedded


@pytest.fixture
def dynamodb_engine() -> "Iterator[Embedded]":
    """The connection to this test's DynamoDB, which is empty and in memory; `dynamodb` uses it."""
    from tablewright import embedded

    with embedded() as db:
        yield db


@pytest.fixture
def dynamodb(dynamodb_engine: "Embedded") -> Any:
    """A boto3 resource on a new, empty DynamoDB in memory; the client is `dynamodb.meta.client`."""
    return dynamodb_engine.resource()


@pytest.fixture
def dynamodb_clock(dynamodb_engine: "Embedded") -> "Clock":
    """The clock of this test's DynamoDB: freeze it or advance it."""
    return dynamodb_engine.clock
