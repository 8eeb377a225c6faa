"""Fake platforms in the process, on a clock that tests move."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime

import pytest
from tablewright_systems.listbackup.design.connections import Connection, ConnectionMetadata
from tablewright_systems.listbackup.design.sources import Source
from tablewright_systems.listbackup.design.vocabulary import ConnectionType
from tablewright_systems.listbackup.fakes.fake_platform import ACCOUNT, API_KEY
from tablewright_systems.listbackup.fakes.fake_platforms import FakePlatforms
from tablewright_systems.listbackup.platforms.protocol import PlatformCredentials, PlatformReader

from tablewright import Clock


def time_of(clock: Clock) -> datetime:
    """Return the current time of a clock."""
    return datetime.fromtimestamp(clock.now(), UTC)


PLATFORMS = ("keap", "stripe", "gohighlevel")

OpenReader = Callable[..., PlatformReader]


@pytest.fixture
def fakes(clock: Clock) -> FakePlatforms:
    return FakePlatforms(lambda: time_of(clock), size=230)


def source_of(platform: str) -> Source:
    return Source(
        account_id="a1",
        source_name=platform,
        platform=platform,
        connection_type=ConnectionType.APIKEY,
        created_by="ada",
    )


@pytest.fixture
def open_reader(fakes: FakePlatforms) -> Iterator[OpenReader]:
    """Opens the reader of a platform with an API key or another secret."""
    platforms = fakes.platforms()
    connection = Connection(
        account_id="a1",
        user_id="ada",
        platform="any",
        connection_type=ConnectionType.APIKEY,
        metadata=ConnectionMetadata(account_id=ACCOUNT),
    )

    def opened(
        platform: str, secret: str = API_KEY, kind: ConnectionType = ConnectionType.APIKEY
    ) -> PlatformReader:
        return platforms.open_reader(source_of(platform), connection, PlatformCredentials(kind, secret))

    yield opened
    platforms.close()
