"""Webhooks: each platform's signature, wrong ones, old ones, and keys that are missing."""

from dataclasses import replace
from datetime import timedelta

import pytest

from tablewright import Clock
from tablewright_systems.listbackup.platforms.fakes.fake_platforms import FakePlatforms
from tablewright_systems.listbackup.platforms.fakes.gohighlevel import WEBHOOK_KEY
from tablewright_systems.listbackup.platforms.webhooks import (
    WebhookKeys,
    WebhookRejected,
    WebhookRequest,
    verify,
)
from tests.systems.listbackup.platforms.conftest import PLATFORMS, time_of

KEYS = WebhookKeys("whsec_of_the_endpoint", WEBHOOK_KEY)
EVERY_PLATFORM = pytest.mark.parametrize("platform", PLATFORMS)


@EVERY_PLATFORM
def test_a_signed_delivery_is_accepted(fakes: FakePlatforms, clock: Clock, platform: str) -> None:
    request = fakes[platform].delivery("evt_1", KEYS.secret)
    delivery = verify(platform, request, KEYS, time_of(clock))
    assert delivery.sent_at == time_of(clock)
    assert platform == "keap" or delivery.event_id == "evt_1"


@EVERY_PLATFORM
def test_a_delivery_without_a_signature_is_rejected(
    fakes: FakePlatforms, clock: Clock, platform: str
) -> None:
    request = replace(fakes[platform].delivery("evt_1", KEYS.secret), headers={}, query={})
    with pytest.raises(WebhookRejected):
        verify(platform, request, KEYS, time_of(clock))


@pytest.mark.parametrize("platform", ["stripe", "gohighlevel"])
def test_a_changed_body_is_rejected(fakes: FakePlatforms, clock: Clock, platform: str) -> None:
    request = fakes[platform].delivery("evt_1", KEYS.secret)
    with pytest.raises(WebhookRejected, match="does not match"):
        verify(platform, replace(request, body=request.body + b" "), KEYS, time_of(clock))


@pytest.mark.parametrize("platform", ["stripe", "keap"])
def test_another_secret_is_rejected(fakes: FakePlatforms, clock: Clock, platform: str) -> None:
    request = fakes[platform].delivery("evt_1", "whsec_of_another_endpoint")
    with pytest.raises(WebhookRejected, match="does not match"):
        verify(platform, request, KEYS, time_of(clock))


@EVERY_PLATFORM
def test_without_a_key_every_delivery_is_rejected(fakes: FakePlatforms, clock: Clock, platform: str) -> None:
    with pytest.raises(WebhookRejected):
        verify(platform, fakes[platform].delivery("evt_1", ""), WebhookKeys(), time_of(clock))


@EVERY_PLATFORM
@pytest.mark.parametrize("late", [True, False])
def test_an_old_delivery_and_one_from_the_future_are_rejected(
    fakes: FakePlatforms, clock: Clock, platform: str, late: bool
) -> None:
    tolerance = timedelta(minutes=5) if platform == "stripe" else timedelta(hours=1)
    request = fakes[platform].delivery("evt_1", KEYS.secret)
    sign = 1 if late else -1
    verify(platform, request, KEYS, time_of(clock) + sign * tolerance)
    with pytest.raises(WebhookRejected, match="too old, or from the future"):
        verify(platform, request, KEYS, time_of(clock) + sign * (tolerance + timedelta(seconds=1)))


@EVERY_PLATFORM
@pytest.mark.parametrize("body", [b"", b"[]", b"{}", b"\xff", b"null"])
def test_a_body_of_another_shape_is_rejected(clock: Clock, platform: str, body: bytes) -> None:
    request = WebhookRequest(body, {"stripe-signature": "t=,v1="}, {"token": KEYS.secret})
    with pytest.raises(WebhookRejected):
        verify(platform, request, KEYS, time_of(clock))


def test_a_stripe_secret_can_be_rotated(fakes: FakePlatforms, clock: Clock) -> None:
    request = fakes.stripe.delivery("evt_1", KEYS.secret)
    both = f"{request.headers['stripe-signature']},v1=0000"
    verify("stripe", replace(request, headers={"stripe-signature": both}), KEYS, time_of(clock))
