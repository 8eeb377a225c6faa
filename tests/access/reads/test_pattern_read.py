"""What all reads have in common: copies, locks and expired items are left out."""

from typing import Any

from tablewright import Clock
from tests.access import shop
from tests.access.reads.orders import ids
from tests.access.shop import order


def test_copies_are_read_by_their_own_keys_only(db: Any) -> None:
    chat = shop.Chat(chat_id="c", members=["ada", "bob"])
    db.put(chat)
    assert list(db.run(shop.ChatsOf(member="bob"))) == [chat]
    page = db.run(shop.ChatById(chat_id="c"))
    assert (list(page), page.unknown) == ([chat], ())


def test_expired_items_are_left_out(db: Any, clock: Clock) -> None:
    now = int(clock.now())
    for number, expiry in enumerate((now - 60, now, now + 60, None, now - 6 * 365 * 24 * 3600)):
        db.put(order("ada", number, expires_at=expiry))
    live = ["002", "003", "004"]
    assert ids(db.run(shop.OrdersOf(customer_id="ada"))) == live
    assert ids(db.run(shop.OrdersOf(customer_id="ada"), limit=2)) == live[:2]
    assert ids(db.run(shop.ManyOrders(customer_id="ada", order_id=["000", "002"]))) == ["002"]
    assert db.run(shop.OrderById(customer_id="ada", order_id="000")) is None
    assert len(db.run(shop.OrdersOf(customer_id="ada"), include_expired=True)) == 5
    assert db.run(shop.OrderById(customer_id="ada", order_id="000"), include_expired=True) is not None
