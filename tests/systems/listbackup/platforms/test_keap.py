"""Keap: the header of an API key, and of a token."""

from tablewright_systems.listbackup.design.vocabulary import ConnectionType
from tablewright_systems.listbackup.platforms.fakes.fake_platforms import FakePlatforms
from tablewright_systems.listbackup.platforms.keap import Keap
from tablewright_systems.listbackup.platforms.protocol import PlatformCredentials
from tests.systems.listbackup.platforms.conftest import OpenReader


def test_a_key_and_a_token_have_their_own_headers() -> None:
    token = PlatformCredentials(ConnectionType.OAUTH, "t1")
    key = PlatformCredentials(ConnectionType.APIKEY, "k1")
    assert Keap().headers(token) == {"authorization": "Bearer t1"}
    assert Keap().headers(key) == {"x-keap-api-key": "k1"}


def test_an_id_cannot_reach_another_path(open_reader: OpenReader, fakes: FakePlatforms) -> None:
    reader = open_reader("keap")
    record = reader.read("products").records[0]
    evil = type(record)("../orders/1", None, record.data)
    assert reader.write("products", evil) == "13"
    assert "..%2Forders%2F1" in fakes.keap.requests[-2].url.raw_path.decode()
