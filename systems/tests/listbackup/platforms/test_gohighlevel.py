"""GoHighLevel: a source without a location cannot be read."""

import pytest
from tablewright_systems.listbackup.design.vocabulary import ConnectionType
from tablewright_systems.listbackup.fakes.fake_platforms import FakePlatforms
from tablewright_systems.listbackup.platforms.protocol import PlatformCredentials, RequestRejected

from systems.tests.listbackup.platforms.conftest import OpenReader, source_of


def test_a_connection_without_a_location_is_rejected(fakes: FakePlatforms) -> None:
    credentials = PlatformCredentials(ConnectionType.APIKEY, "key")
    reader = fakes.platforms().open_reader(source_of("gohighlevel"), None, credentials)
    with pytest.raises(RequestRejected, match=r"set metadata\.accountId of the connection"):
        reader.read("contacts")


def test_a_search_is_repeated_after_a_failure(open_reader: OpenReader, fakes: FakePlatforms) -> None:
    fakes.gohighlevel.faults.failing = 1
    assert open_reader("gohighlevel").read("contacts").records
