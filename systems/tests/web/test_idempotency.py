"""A POST request with an idempotency key has its effect once."""

import threading
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from tablewright_systems.boards.design import design
from tablewright_systems.collabhub.service import users as collabhub_users
from tablewright_systems.goalsguild.service import users as goalsguild_users
from tablewright_systems.listbackup.design.users import UserStatus
from tablewright_systems.listbackup.service import users as listbackup_users
from tablewright_systems.registry import find
from tablewright_systems.service import Caller
from tablewright_systems.service.errors import Conflict, Forbidden, Unavailable
from tablewright_systems.web import Body, CurrentCaller, LocalIssuer, OptionalCaller, Router, application
from tablewright_systems.web.idempotency import IdempotencyKeys

from tablewright import Clock, Repository, connect, keyrings

ISSUER = LocalIssuer()


class Order(Body):
    """A number of things."""

    number: int


class Shop:
    """An API that counts orders; `during` is called while an order is made."""

    def __init__(self, db: Repository) -> None:
        self.orders: list[int] = []
        self.during: Callable[[], None] = lambda: None
        router = Router("Orders", "Orders.")
        router.post("/orders", status_code=201)(self.order)
        router.post("/open-orders", status_code=201)(self.open_order)
        self.suspended: set[str] = set()
        self.app: FastAPI = application("Shop", router, db, ISSUER, check_caller=self.check)
        self.client = TestClient(self.app)

    def check(self, db: Repository, caller: Caller) -> None:
        if caller.user_id in self.suspended:
            raise Forbidden("suspended")

    def order(self, caller: CurrentCaller, body: Order) -> dict[str, int]:
        self.during()
        self.orders.append(body.number)
        return {"total": len(self.orders)}

    def open_order(self, caller: OptionalCaller, body: Order) -> dict[str, int]:
        self.orders.append(body.number)
        return {"total": len(self.orders)}

    def post(
        self, key: str = "k1", number: int = 1, who: str = "ada", path: str = "/orders"
    ) -> httpx.Response:
        headers = {"Authorization": f"Bearer {ISSUER.issue(who)}", "Idempotency-Key": key}
        reply: Any = self.client.post(path, json={"number": number}, headers=headers)
        return reply  # type: ignore[no-any-return]


@pytest.fixture
def clock() -> Clock:
    return Clock(start=1_700_000_000)


@pytest.fixture
def shop(clock: Clock) -> Iterator[Shop]:
    with connect(design, clock=clock) as db:
        yield Shop(db)


def test_repeated_request_gets_the_stored_reply_and_runs_once(shop: Shop) -> None:
    first, second = shop.post(), shop.post()
    assert shop.orders == [1]
    assert (first.status_code, first.json()) == (second.status_code, second.json()) == (201, {"total": 1})
    assert "idempotency-replayed" not in first.headers
    assert second.headers["idempotency-replayed"] == "true"
    assert second.headers["content-type"] == "application/json"


def test_other_keys_callers_and_requests_without_a_key_run(shop: Shop) -> None:
    shop.post()
    shop.post(key="k2")
    shop.post(who="bob")
    shop.client.post(
        "/orders", json={"number": 1}, headers={"Authorization": f"Bearer {ISSUER.issue('ada')}"}
    )
    assert shop.orders == [1, 1, 1, 1]


@pytest.mark.parametrize(("number", "path"), [(2, "/orders"), (1, "/open-orders")])
def test_key_of_another_request_is_invalid(shop: Shop, number: int, path: str) -> None:
    shop.post()
    reply = shop.post(number=number, path=path)
    assert (reply.status_code, reply.json()["code"]) == (422, "idempotency_key_reused")
    assert shop.orders == [1]


@pytest.mark.parametrize("error", [Conflict("taken"), Unavailable("try again")])
def test_failed_request_can_be_sent_again_with_its_key(shop: Shop, error: Exception) -> None:
    def fail() -> None:
        raise error

    shop.during = fail
    assert shop.post().status_code in (409, 503)
    shop.during = lambda: None
    assert (shop.post().status_code, shop.orders) == (201, [1])


def test_request_with_an_unknown_outcome_is_not_run_again(shop: Shop) -> None:
    def crash() -> None:
        raise RuntimeError

    shop.during = crash
    assert shop.post().status_code == 500
    shop.during = lambda: None
    reply = shop.post()
    assert (reply.status_code, reply.json()["code"], shop.orders) == (409, "unknown_outcome", [])


def test_request_of_a_killed_process_is_not_run_again(
    shop: Shop, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def killed(*arguments: object) -> None:
        shop.orders.append(0)
        raise RuntimeError("the process ends before the reply is stored")

    with monkeypatch.context() as patch:
        patch.setattr(IdempotencyKeys, "_run", killed)
        shop.post()
    assert shop.post().json()["code"] == "in_progress"
    clock.advance(timedelta(minutes=2))
    assert shop.post().json()["code"] == "unknown_outcome"
    assert shop.orders == [0]


def test_concurrent_requests_with_one_key_run_once(shop: Shop) -> None:
    entered, leave = threading.Event(), threading.Event()

    def wait() -> None:
        entered.set()
        assert leave.wait(30)

    shop.during = wait
    replies: list[httpx.Response] = []
    first = threading.Thread(target=lambda: replies.append(shop.post()))
    first.start()
    assert entered.wait(30)
    second = shop.post()
    leave.set()
    first.join()
    assert (second.status_code, second.json()["code"], second.headers["retry-after"]) == (
        409,
        "in_progress",
        "1",
    )
    assert (replies[0].status_code, shop.orders) == (201, [1])
    assert shop.post().json() == {"total": 1}


def test_keys_expire_after_a_day(shop: Shop, clock: Clock) -> None:
    shop.post()
    clock.advance(timedelta(hours=23))
    assert shop.post().headers["idempotency-replayed"] == "true"
    clock.advance(timedelta(hours=2))
    assert shop.post().json() == {"total": 2}


@pytest.mark.parametrize("key", ["", "x" * 256, "a\tb", "a b"])
def test_malformed_key_is_invalid(shop: Shop, key: str) -> None:
    reply = shop.post(key)
    assert (reply.status_code, reply.json()["field"]) == (422, "Idempotency-Key")
    assert shop.orders == []


def test_invalid_token_is_rejected_and_anonymous_callers_have_keys(shop: Shop) -> None:
    headers = {"Authorization": "Bearer x", "Idempotency-Key": "k1"}
    assert shop.client.post("/orders", json={"number": 1}, headers=headers).status_code == 401
    for _ in range(2):
        shop.client.post("/open-orders", json={"number": 1}, headers={"Idempotency-Key": "k1"})
    assert shop.orders == [1]


def test_stored_reply_is_encrypted_and_the_key_is_hashed(shop: Shop) -> None:
    shop.post("a-key-of-ada")
    connection = shop.app.state.db.connection
    stored = str(connection.call("Scan", {"TableName": "tablewright-api"})["Items"])
    assert "REQUEST#" in stored
    assert "total" not in stored
    assert "a-key-of-ada" not in stored


def test_suspended_caller_gets_no_stored_reply(shop: Shop) -> None:
    assert shop.post().status_code == 201
    shop.suspended.add("ada")
    assert (shop.post().status_code, shop.post().json()["code"]) == (403, "forbidden")
    shop.suspended.clear()
    assert (shop.post().json(), shop.orders) == ({"total": 1}, [1])


ADMIN = Caller("root", {"roles": ["admin"]})
SUSPENSIONS: dict[str, tuple[str, dict[str, Any] | None, Callable[[Repository, str], object]]] = {
    "goalsguild": (
        "/goals",
        {"title": "Swim"},
        lambda db, user_id: goalsguild_users.suspend(db, ADMIN, user_id),
    ),
    "collabhub": ("/users/me/logins", None, lambda db, user_id: collabhub_users.ban(db, ADMIN, user_id)),
    "listbackup": (
        "/accounts",
        {"accountName": "Looms"},
        lambda db, user_id: listbackup_users.set_user_status(db, ADMIN, user_id, UserStatus.SUSPENDED),
    ),
}


@pytest.mark.parametrize("name", SUSPENSIONS)
def test_suspended_user_of_a_system_gets_no_stored_reply(name: str) -> None:
    system = find(name)
    assert system is not None
    path, body, suspend = SUSPENSIONS[name]
    caller = next(iter(system.people.values()))
    with connect(system.design, environment=system.environment, secrets=keyrings.MemoryKeys()) as db:
        system.fill(db, 2)
        token = ISSUER.issue(caller.user_id, **caller.claims)
        headers = {"Authorization": f"Bearer {token}", "Idempotency-Key": "k1"}
        client = TestClient(system.build(db, ISSUER), headers=headers)
        first, second = client.post(path, json=body), client.post(path, json=body)
        assert first.is_success
        assert second.headers["idempotency-replayed"] == "true"
        suspend(db, caller.user_id)
        reply = client.post(path, json=body)
        assert (reply.status_code, reply.json()["code"]) == (403, "forbidden")
