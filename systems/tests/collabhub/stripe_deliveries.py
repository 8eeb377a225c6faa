"""Events as Stripe sends them, and their signed delivery."""

import json
from typing import Any

from fastapi.testclient import TestClient
from tablewright_systems.collabhub.service.subscriptions import sign

from systems.tests.collabhub.table_contents import START

NOW = int(START.timestamp())


def stripe_event(user_id: str, number: int, status: str, **more: Any) -> dict[str, Any]:
    """Return an event in Stripe's current form, with the periods in the items."""
    item = {
        "price": {"id": "price_1", "metadata": {"tier": "PRO"}},
        "current_period_start": NOW,
        "current_period_end": NOW + 30 * 86_400,
    }
    subscription = {
        "id": "sub_1",
        "customer": "cus_1",
        "status": status,
        "items": {"data": [item]},
        "cancel_at_period_end": False,
        "metadata": {"userId": user_id},
    }
    return {
        "id": f"evt_{number}",
        "type": "customer.subscription.updated",
        "created": NOW + number,
        "data": {"object": subscription | more},
    }


def deliver(client: TestClient, event: Any, secret: str, at: int = NOW) -> Any:
    """Send a signed event, and return the reply."""
    body = json.dumps(event).encode()
    signature = f"t={at},v1={sign(body, str(at), secret)}"
    headers = {"Stripe-Signature": signature, "Content-Type": "application/json"}
    return client.post("/webhooks/stripe", content=body, headers=headers)
