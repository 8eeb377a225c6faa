"""Webhooks: each platform's signature, wrong ones, old ones, and keys that are missing."""

import hmac
from dataclasses import replace
from datetime import timedelta

import pytest
from tablewright_systems.listbackup.fakes.fake_platforms import FakePlatforms
from tablewright_systems.listbackup.fakes.gohighlevel import WEBHOOK_KEY
from tablewright_systems.listbackup.platforms.webhooks import (
    WebhookKeys,
    WebhookRejected,
    WebhookRequest,
    stripe_signature,
    verify,
)

from systems.tests.listbackup.platforms.conftest import PLATFORMS, time_of
from tablewright import Clock

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


@pytest.mark.parametrize("header", ["", "v1=ab", "t", "t=,v1=", "t=1,v1=\xe9"])
def test_a_header_of_another_form_is_rejected(clock: Clock, header: str) -> None:
    request = WebhookRequest(b"{}", {"stripe-signature": header})
    with pytest.raises(WebhookRejected):
        verify("stripe", request, KEYS, time_of(clock))


@pytest.mark.parametrize("body", [b'{"id": 5, "type": "a"}', b'{"id": "a", "type": 5}', b"[]", b"5"])
def test_a_signed_body_that_is_no_event_is_rejected(clock: Clock, body: bytes) -> None:
    signature = stripe_signature(KEYS.secret, body, time_of(clock))
    with pytest.raises(WebhookRejected):
        verify("stripe", WebhookRequest(body, {"stripe-signature": signature}), KEYS, time_of(clock))


def test_a_signed_time_beyond_the_calendar_is_rejected(clock: Clock) -> None:
    body, seconds = b'{"id": "a", "type": "b"}', str(10**30)
    digest = hmac.new(KEYS.secret.encode(), f"{seconds}.".encode() + body, "sha256").hexdigest()
    request = WebhookRequest(body, {"stripe-signature": f"t={seconds},v1={digest}"})
    with pytest.raises(WebhookRejected):
        verify("stripe", request, KEYS, time_of(clock))
