"""The pytest plugin: a fresh DynamoDB for every test that asks for one.

pytest loads this module in every run where Tablewright is installed, so it imports nothing heavy by itself.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tablewright import Clock
    from tablewright.connections import Embedded


@pytest.fixture
def dynamodb_engine() -> "Iterator[Embedded]":
    """The DynamoDB of this test, empty and in memory: the connection that `dynamodb` speaks to."""
    from tablewright import embedded

    with embedded() as db:
        yield db


@pytest.fixture
def dynamodb(dynamodb_engine: "Embedded") -> Any:
    """A boto3 resource on a fresh in-memory DynamoDB; its client is `dynamodb.meta.client`."""
    return dynamodb_engine.resource()


@pytest.fixture
def dynamodb_clock(dynamodb_engine: "Embedded") -> "Clock":
    """The clock of this test's DynamoDB: freeze it, or move it forward."""
    return dynamodb_engine.clock
