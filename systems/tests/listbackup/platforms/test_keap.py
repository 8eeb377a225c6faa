"""Keap: the header of an API key and of a token, and orders that are created again."""

from dataclasses import replace

import pytest
from tablewright_systems.listbackup.design.vocabulary import ConnectionType
from tablewright_systems.listbackup.fakes.fake_platforms import FakePlatforms
from tablewright_systems.listbackup.platforms.keap import Keap
from tablewright_systems.listbackup.platforms.protocol import PlatformCredentials, RequestRejected, Restore

from systems.tests.listbackup.platforms.conftest import OpenReader


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


def test_a_deleted_order_is_created_in_the_shape_of_a_request(
    open_reader: OpenReader, fakes: FakePlatforms
) -> None:
    reader, orders = open_reader("keap"), fakes.keap.records["orders"]
    lost = reader.read("orders").records[3]
    before = orders.pop(lost.id)
    created = orders[reader.write("orders", lost)]
    assert (created["title"], created["contact"], created["total"]) == (
        before["title"],
        before["contact"],
        before["total"],
    )


def test_an_order_without_items_is_rejected_with_a_reason(
    open_reader: OpenReader, fakes: FakePlatforms
) -> None:
    reader = open_reader("keap")
    lost = reader.read("orders").records[3]
    del fakes.keap.records["orders"][lost.id]
    bare = replace(lost, data={"id": 4, "title": "Order"})
    with pytest.raises(RequestRejected, match="order 4 lacks its contact, title, date or items"):
        reader.write("orders", bare)


def test_an_order_of_another_source_is_rejected(open_reader: OpenReader, fakes: FakePlatforms) -> None:
    reader = open_reader("keap")
    order = reader.read("orders").records[0]
    with pytest.raises(RequestRejected, match="by ids of another account"):
        reader.write("orders", order, Restore("job-1", is_foreign=True))
    assert fakes.keap.requests[-1].method == "GET"
