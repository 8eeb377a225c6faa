"""Test data for replicas: regions in memory with one frozen clock, and the table `music` in some of them."""

from collections.abc import Iterator
from typing import Any

import pytest

from tablewright.dynamodb.clock import Clock
from tablewright.engine.database import Database
from tablewright.engine.features.replicas.replication import replicate
from tablewright.engine.regions import Regions
from tablewright.engine.storage import open_store
from tests.engine.streaming import read_all
from tests.engine.table_cases import request_of

START = 1_700_000_000.0
US, EU, AP = "us-east-1", "eu-west-1", "ap-southeast-2"
Item = dict[str, Any]


class World:
    """Several regions in one process; nothing is replicated before `replicate` or `pull`."""

    def __init__(self) -> None:
        self.clock = Clock(start=START)
        self.default = Database(open_store(), self.clock, US)
        self.regions = Regions(self.default)

    def __getitem__(self, region: str) -> Database:
        return self.regions.database(region, may_write=True)

    def create(self, definition: str = "artist | artist:S", **members: Any) -> None:
        """Create the table in the default region, without replicas."""
        self.default.call("CreateTable", {**request_of("music", definition), **members})

    def update(self, region: str, **members: Any) -> dict[str, Any]:
        """Change the table in a region."""
        request = {"TableName": "music", **members}
        return self[region].call("UpdateTable", request)["TableDescription"]  # type: ignore[no-any-return]

    def join(self, region: str, source: str = US, **overrides: Any) -> None:
        """Create a replica and copy everything to it."""
        create = {"RegionName": region, **overrides}
        self.update(source, ReplicaUpdates=[{"Create": create}])
        self.replicate()

    def describe(self, region: str) -> dict[str, Any]:
        """The table as a region shows it."""
        return self[region].call("DescribeTable", {"TableName": "music"})["Table"]  # type: ignore[no-any-return]

    def put(self, region: str, artist: str, song: str = "", **attributes: Any) -> None:
        """Write an item."""
        item = {"artist": {"S": artist}, "song": {"S": song or artist}, **attributes}
        self[region].call("PutItem", {"TableName": "music", "Item": item})

    def delete(self, region: str, artist: str) -> None:
        """Delete an item."""
        self[region].call("DeleteItem", {"TableName": "music", "Key": {"artist": {"S": artist}}})

    def songs(self, region: str) -> dict[str, str]:
        """All items of a region."""
        items = self[region].call("Scan", {"TableName": "music"})["Items"]
        return {item["artist"]["S"]: item["song"]["S"] for item in items}

    def records(self, region: str) -> list[dict[str, Any]]:
        """All stream records of a region."""
        return read_all(self[region], self.describe(region)["LatestStreamArn"])

    def pull(self, region: str, source: str) -> bool:
        """Replicate in one direction, once."""
        return replicate(self[region].sessions, source)

    def replicate(self) -> int:
        """Replicate between all regions until nothing is new."""
        return self.regions.replicate()

    def close(self) -> None:
        """Close all regions."""
        self.regions.close()
        self.default.close()


@pytest.fixture
def world() -> Iterator[World]:
    """The table `music` in two regions."""
    opened = World()
    opened.create()
    opened.join(EU)
    yield opened
    opened.close()
