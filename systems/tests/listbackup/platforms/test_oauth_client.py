"""The OAuth client against the fakes: PKCE, codes that work once, rotated refresh tokens, revoked authorizations."""

from dataclasses import replace
from datetime import timedelta
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from tablewright_systems.listbackup.fakes.fake_platform import ACCOUNT, TOKEN_LIFETIME
from tablewright_systems.listbackup.fakes.fake_platforms import FakePlatforms
from tablewright_systems.listbackup.platforms.oauth_client import OAuthClient, challenge
from tablewright_systems.listbackup.platforms.protocol import CredentialsRejected, PlatformUnavailable

from systems.tests.listbackup.platforms.conftest import PLATFORMS, time_of
from tablewright import Clock

REDIRECT = "https://api.listbackup.ai/oauth/callback"
EVERY_PLATFORM = pytest.mark.parametrize("platform", PLATFORMS)


def client_of(fakes: FakePlatforms, platform: str = "keap") -> OAuthClient:
    result = fakes.platforms().oauth(platform)
    assert result is not None
    return result


@EVERY_PLATFORM
def test_the_authorization_url_leads_to_a_code_that_gives_tokens(
    fakes: FakePlatforms, clock: Clock, platform: str
) -> None:
    client = client_of(fakes, platform)
    url = client.authorization_url("state-1", REDIRECT, challenge("verifier"))
    back = fakes.handle(httpx.Request("GET", url)).headers["location"]
    query = {name: values[0] for name, values in parse_qs(urlsplit(back).query).items()}
    assert back.startswith(REDIRECT)
    assert query["state"] == "state-1"
    grant = client.exchange(query["code"], "verifier", REDIRECT, time_of(clock))
    assert grant.tokens.expires_at == time_of(clock) + TOKEN_LIFETIME
    assert grant.account == (None if platform == "keap" else ACCOUNT)
    assert client.accepts(grant)


@pytest.mark.parametrize(
    ("code", "verifier", "redirect"),
    [("other", "verifier", REDIRECT), (None, "guessed", REDIRECT), (None, "verifier", "https://evil.test/")],
)
def test_a_wrong_code_verifier_or_redirect_is_rejected(
    fakes: FakePlatforms, clock: Clock, code: str | None, verifier: str, redirect: str
) -> None:
    valid = fakes.keap.authorize(challenge("verifier"), REDIRECT)
    with pytest.raises(CredentialsRejected, match="keap does not accept the authorization code"):
        client_of(fakes).exchange(code or valid, verifier, redirect, time_of(clock))


@EVERY_PLATFORM
def test_a_refresh_token_works_once(fakes: FakePlatforms, clock: Clock, platform: str) -> None:
    client = client_of(fakes, platform)
    code = fakes[platform].authorize(challenge("v"), REDIRECT)
    first = client.exchange(code, "v", REDIRECT, time_of(clock))
    assert first.tokens.refresh_token is not None
    clock.advance(TOKEN_LIFETIME)
    assert not client.accepts(first)
    assert client.accepts(client.refresh(first.tokens.refresh_token, time_of(clock)))
    with pytest.raises(CredentialsRejected, match="does not accept the refresh token"):
        client.refresh(first.tokens.refresh_token, time_of(clock))


def test_a_revoked_authorization_is_not_accepted(fakes: FakePlatforms, clock: Clock) -> None:
    client = client_of(fakes)
    code = fakes.keap.authorize(challenge("v"), REDIRECT)
    grant = client.exchange(code, "v", REDIRECT, time_of(clock))
    fakes.keap.revoke()
    assert not client.accepts(grant)


def test_a_token_request_is_sent_once(
    fakes: FakePlatforms, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[httpx.Request] = []

    def failing(request: httpx.Request) -> httpx.Response:
        sent.append(request)
        return httpx.Response(502)

    monkeypatch.setattr(fakes, "handle", failing)
    with pytest.raises(PlatformUnavailable):
        client_of(fakes).refresh("rt-1", time_of(clock))
    assert len(sent) == 1


def test_tokens_without_an_end_are_renewed_after_thirty_days(
    fakes: FakePlatforms, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fakes, "handle", lambda request: httpx.Response(200, json={"access_token": "at"}))
    grant = client_of(fakes).refresh("rt-1", time_of(clock))
    assert grant.tokens.expires_at == time_of(clock) + timedelta(days=30)
    assert grant.tokens.refresh_token == "rt-1"
    assert "at" not in repr(grant).split("account")[0]


def test_a_failed_token_request_shows_no_token(
    fakes: FakePlatforms, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(request: httpx.Request) -> httpx.Response:
        return httpx.Response(502, json={"message": f"cannot forward {request.content.decode()}"})

    monkeypatch.setattr(fakes, "handle", failing)
    client = client_of(fakes)
    with pytest.raises(PlatformUnavailable, match="cannot forward") as renewed:
        client.refresh("rt-1", time_of(clock))
    with pytest.raises(PlatformUnavailable, match="cannot forward") as exchanged:
        client.exchange("code-1", "verifier-1", REDIRECT, time_of(clock))
    shown = f"{renewed.value} {exchanged.value}"
    assert not any(secret in shown for secret in ("rt-1", "code-1", "verifier-1", "fake-client-secret"))


def test_tokens_that_cannot_be_tried_are_not_accepted(fakes: FakePlatforms, clock: Clock) -> None:
    """A grant of GoHighLevel without a location reaches no records."""
    client = client_of(fakes, "gohighlevel")
    code = fakes.gohighlevel.authorize(challenge("v"), REDIRECT)
    grant = client.exchange(code, "v", REDIRECT, time_of(clock))
    assert client.accepts(grant)
    assert not client.accepts(replace(grant, account=None))
