"""Stripe's webhook: signatures, replays, both forms of the payload, other types of events (F7)."""

import json
from typing import Any

import pytest
from fastapi.testclient import TestClient
from tablewright_systems.collabhub import design
from tablewright_systems.collabhub.api import build
from tablewright_systems.collabhub.design import EventOutcome, Role, Tier
from tablewright_systems.collabhub.proofs import fixtures
from tablewright_systems.collabhub.service.subscriptions import sign
from tablewright_systems.service import Caller
from tablewright_systems.web import LocalIssuer

from systems.tests.collabhub.stripe_deliveries import NOW, deliver, stripe_event
from systems.tests.collabhub.table_contents import TableContents
from tablewright import Clock, Repository

SECRET, NEXT_SECRET = "whsec_test", "whsec_next"


@pytest.fixture
def client(db: Repository) -> TestClient:
    return TestClient(build(db, LocalIssuer(), [SECRET, NEXT_SECRET]))


@pytest.fixture
def ada(db: Repository) -> Caller:
    return fixtures.new_user(db, Role.FOUNDER)


def tier_of(db: Repository, caller: Caller) -> Tier:
    return db.get_or_raise(design.UserById(user_id=caller.user_id)).subscription_tier


def post(client: TestClient, body: bytes, signature: bytes | str | None) -> Any:
    headers: Any = {"Content-Type": "application/json"}
    if signature is not None:
        headers["Stripe-Signature"] = signature
    return client.post("/webhooks/stripe", content=body, headers=headers)


# --- Signatures ---


def test_a_signed_event_is_applied(client: TestClient, db: Repository, ada: Caller) -> None:
    assert deliver(client, stripe_event(ada.user_id, 1, "active"), SECRET).json() == {"outcome": "APPLIED"}
    assert tier_of(db, ada) == Tier.PRO


def test_each_of_two_secrets_is_valid_while_one_is_replaced(client: TestClient, ada: Caller) -> None:
    assert deliver(client, stripe_event(ada.user_id, 1, "active"), NEXT_SECRET).status_code == 200
    body = json.dumps(stripe_event(ada.user_id, 2, "active")).encode()
    both = f"t={NOW},v1={sign(body, str(NOW), 'whsec_old')}, v1={sign(body, str(NOW), SECRET)},v0=1"
    assert post(client, body, both).status_code == 200


@pytest.mark.parametrize(
    "signature",
    [
        None,
        "",
        "v1={valid}",
        "t={now}",
        "t={now},v1=",
        "t={now},v1={other}",
        "t={now},v0={valid}",
        "t={now},t={now},v1={valid}",
        "t=soon,v1={valid}",
        "t=-1,v1={valid}",
        "t=1,v1={valid}",
        "t={now},v1=\xe9",
    ],
)
def test_an_event_without_a_valid_signature_is_rejected(
    client: TestClient, db: Repository, ada: Caller, signature: str | None
) -> None:
    body = json.dumps(stripe_event(ada.user_id, 1, "active")).encode()
    known = {"now": NOW, "valid": sign(body, str(NOW), SECRET), "other": sign(body, str(NOW), "whsec_eve")}
    values = signature.format(**known).encode("latin-1") if signature is not None else None
    reply = post(client, body, values)
    assert reply.status_code == 400, reply.text
    assert reply.json().get("field") == "Stripe-Signature"
    assert tier_of(db, ada) == Tier.FREE


def test_a_changed_body_is_rejected(client: TestClient, ada: Caller) -> None:
    body = json.dumps(stripe_event(ada.user_id, 1, "active")).encode()
    signature = f"t={NOW},v1={sign(body, str(NOW), SECRET)}"
    assert post(client, body.replace(b"PRO", b"ENTERPRISE"), signature).status_code == 400
    assert post(client, body, signature).status_code == 200


def test_a_recorded_delivery_cannot_be_replayed(client: TestClient, ada: Caller, clock: Clock) -> None:
    event = stripe_event(ada.user_id, 1, "active")
    assert deliver(client, event, SECRET).json()["outcome"] == "APPLIED"
    assert deliver(client, event, SECRET).json()["outcome"] == "DUPLICATE"
    clock.advance(301)
    assert deliver(client, event, SECRET).status_code == 400
    assert deliver(client, event, SECRET, at=NOW + 700).status_code == 400


def test_a_token_does_not_replace_the_signature(db: Repository, ada: Caller) -> None:
    issuer = LocalIssuer()
    headers = {"Authorization": f"Bearer {issuer.issue('stripe', roles=['webhook', 'admin'])}"}
    client = TestClient(build(db, issuer, [SECRET]), headers=headers)
    assert client.post("/webhooks/stripe", json=stripe_event(ada.user_id, 1, "active")).status_code == 400


def test_without_a_secret_nothing_is_accepted(db: Repository, ada: Caller) -> None:
    client = TestClient(build(db, LocalIssuer()))
    for secret in ("", SECRET):
        assert deliver(client, stripe_event(ada.user_id, 1, "active"), secret).status_code == 503


def test_the_secret_is_read_from_the_environment(
    db: Repository, ada: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLLABHUB_STRIPE_SECRET", f"{NEXT_SECRET},{SECRET}")
    client = TestClient(build(db, LocalIssuer()))
    assert deliver(client, stripe_event(ada.user_id, 1, "active"), SECRET).status_code == 200


# --- Content ---


def test_periods_are_read_from_the_items_or_the_subscription(
    client: TestClient, db: Repository, ada: Caller
) -> None:
    def period_end() -> float:
        stored = db.get_or_raise(design.SubscriptionOfUser(user_id=ada.user_id))
        return stored.current_period_end.timestamp()

    assert deliver(client, stripe_event(ada.user_id, 1, "active"), SECRET).status_code == 200
    assert period_end() == NOW + 30 * 86_400
    item = {"price": {"id": "price_1", "metadata": {"tier": "PRO"}}}
    older = {"items": {"data": [item]}, "current_period_start": NOW, "current_period_end": NOW + 60}
    assert deliver(client, stripe_event(ada.user_id, 2, "active", **older), SECRET).status_code == 200
    assert period_end() == NOW + 60


@pytest.mark.parametrize(
    "kind",
    [
        "invoice.paid",
        "customer.created",
        "customer.subscription.trial_will_end",
        "checkout.session.completed",
    ],
)
def test_events_of_other_types_are_acknowledged_and_recorded(
    client: TestClient, db: Repository, kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    event = {"id": "evt_9", "type": kind, "created": NOW, "data": {"object": {"id": "x"}}}
    assert deliver(client, event, SECRET).json() == {"outcome": "IGNORED"}
    assert deliver(client, event, SECRET).json() == {"outcome": "DUPLICATE"}
    (recorded,) = TableContents(db).of(design.StripeEvent)
    assert (recorded.event_id, recorded.type, recorded.outcome) == ("evt_9", kind, EventOutcome.IGNORED)
    assert kind in caplog.text


def test_events_out_of_order_leave_the_latest_state(client: TestClient, db: Repository, ada: Caller) -> None:
    statuses = {3: "active", 1: "trialing", 2: "past_due"}
    outcomes = [
        deliver(client, stripe_event(ada.user_id, number, status), SECRET).json()["outcome"]
        for number, status in statuses.items()
    ]
    assert outcomes == ["APPLIED", "STALE", "STALE"]
    deleted = stripe_event(ada.user_id, 4, "canceled") | {"type": "customer.subscription.deleted"}
    assert deliver(client, deleted, SECRET).json()["outcome"] == "APPLIED"
    assert tier_of(db, ada) == Tier.FREE


def test_an_older_subscription_does_not_replace_the_current_one(
    client: TestClient, db: Repository, ada: Caller
) -> None:
    assert deliver(client, stripe_event(ada.user_id, 1, "active"), SECRET).status_code == 200
    item = {
        "price": {"id": "price_0", "metadata": {"tier": "ENTERPRISE"}},
        "current_period_start": NOW - 86_400,
        "current_period_end": NOW + 60,
    }
    old = stripe_event(ada.user_id, 2, "active", id="sub_0", items={"data": [item]})
    assert deliver(client, old, SECRET).json()["outcome"] == "STALE"
    assert tier_of(db, ada) == Tier.PRO


@pytest.mark.parametrize(
    "change",
    [
        {"items": {"data": {}}},
        {"items": {"data": []}},
        {"items": None},
        {"customer": None},
        {"items": {"data": [{"price": {"id": "p", "metadata": {"tier": "GOLD"}}}]}},
        {
            "items": {
                "data": [{"price": {"id": "p", "metadata": {"tier": "PRO"}}, "current_period_end": 1e30}]
            }
        },
    ],
)
def test_a_subscription_event_that_cannot_be_read_is_rejected(
    client: TestClient, db: Repository, ada: Caller, change: dict[str, Any]
) -> None:
    reply = deliver(client, stripe_event(ada.user_id, 1, "active", **change), SECRET)
    assert (reply.status_code, reply.json().get("field")) == (422, "data")
    assert TableContents(db).of(design.StripeEvent) == []


@pytest.mark.parametrize("event", [[], {}, {"id": 1, "type": "x"}, {"id": "e", "type": None}, "text", None])
def test_a_body_that_is_no_event_is_rejected(client: TestClient, event: Any) -> None:
    assert deliver(client, event, SECRET).status_code == 422


def test_a_body_that_is_no_json_is_rejected(client: TestClient) -> None:
    for body in (b"{", b"\xff", b"[" * 100_000):
        signature = f"t={NOW},v1={sign(body, str(NOW), SECRET)}"
        assert post(client, body, signature).status_code == 400
