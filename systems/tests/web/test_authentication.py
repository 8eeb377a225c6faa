"""Authentication: valid tokens are accepted, all others are rejected."""

import http.server
import json
import socket
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from tablewright_systems.service.errors import Unauthenticated, Unavailable
from tablewright_systems.web.authentication import LOCAL_AUDIENCE, LOCAL_ISSUER, IdentityProvider, LocalIssuer


def test_token_identifies_its_user() -> None:
    issuer = LocalIssuer()
    caller = issuer.authenticate(issuer.issue("ada", email="ada@example.org", roles=["admin"]))
    assert (caller.user_id, caller.claim("email"), caller.roles) == (
        "ada",
        "ada@example.org",
        frozenset({"admin"}),
    )


def test_key_file_is_reused(tmp_path: Path) -> None:
    file = tmp_path / "key.pem"
    token = LocalIssuer.from_file(file).issue("ada")
    assert file.stat().st_mode & 0o077 == 0
    assert LocalIssuer.from_file(file).authenticate(token).user_id == "ada"


def test_token_of_another_issuer_is_rejected() -> None:
    with pytest.raises(Unauthenticated, match="Signature verification failed"):
        LocalIssuer().authenticate(LocalIssuer().issue("ada"))


def test_expired_token_is_rejected() -> None:
    issuer = LocalIssuer()
    with pytest.raises(Unauthenticated, match="expired"):
        issuer.authenticate(issuer.issue("ada", lifetime=timedelta(minutes=-5)))


@pytest.mark.parametrize("token", ["", "x", "a.b.c", jwt.encode({"sub": "ada"}, "", algorithm="none")])
def test_unsigned_token_is_rejected(token: str) -> None:
    with pytest.raises(Unauthenticated):
        LocalIssuer().authenticate(token)


@pytest.mark.parametrize("claims", [{"iss": "another-issuer"}, {"aud": "another-audience"}, {"sub": ""}])
def test_token_for_another_audience_is_rejected(claims: dict[str, str]) -> None:
    issuer = LocalIssuer()
    good = {
        "iss": LOCAL_ISSUER,
        "aud": LOCAL_AUDIENCE,
        "sub": "ada",
        "exp": datetime.now(UTC) + timedelta(hours=1),
    }
    token = jwt.encode(good | claims, issuer._key, algorithm="EdDSA")
    with pytest.raises(Unauthenticated):
        issuer.authenticate(token)


@pytest.mark.parametrize("token", ["x", "a.b.c", "", "\u00e9.\u00e9.\u00e9"])
def test_text_that_is_not_a_token_is_named(token: str) -> None:
    provider = IdentityProvider("https://id.example.org", "boards", "https://id.example.org/keys")
    for authenticator in (LocalIssuer(), provider):
        with pytest.raises(Unauthenticated, match=r"^invalid token: the token is not a JWT$"):
            authenticator.authenticate(token)


def test_token_for_one_system_is_rejected_by_the_others() -> None:
    issuer = LocalIssuer()
    token = issuer.for_audience("boards").issue("ada")
    assert issuer.for_audience("boards").authenticate(token).user_id == "ada"
    for other in (issuer, issuer.for_audience("listbackup")):
        with pytest.raises(Unauthenticated, match="Audience"):
            other.authenticate(token)


@pytest.fixture
def provider_key() -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


@pytest.fixture
def jwks_url(provider_key: rsa.RSAPrivateKey) -> Iterator[str]:
    """An identity provider that publishes its keys."""
    entry = jwt.algorithms.RSAAlgorithm.to_jwk(provider_key.public_key(), as_dict=True)
    body = json.dumps({"keys": [{**entry, "kid": "k1", "use": "sig", "alg": "RS256"}]}).encode()

    class Keys(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Keys) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/jwks.json"
        server.shutdown()


def test_provider_tokens_are_verified_by_published_keys(
    provider_key: rsa.RSAPrivateKey, jwks_url: str
) -> None:
    gate = IdentityProvider("https://id.example.org", "boards", jwks_url)
    claims = {
        "iss": "https://id.example.org",
        "aud": "boards",
        "sub": "ada",
        "exp": datetime.now(UTC) + timedelta(hours=1),
    }
    token = jwt.encode(claims, provider_key, algorithm="RS256", headers={"kid": "k1"})
    assert gate.authenticate(token).user_id == "ada"
    for bad in (
        jwt.encode(claims, provider_key, algorithm="RS256", headers={"kid": "k2"}),
        jwt.encode(
            claims, "a shared secret, thirty-two bytes long", algorithm="HS256", headers={"kid": "k1"}
        ),
        jwt.encode(claims | {"aud": "else"}, provider_key, algorithm="RS256", headers={"kid": "k1"}),
    ):
        with pytest.raises(Unauthenticated):
            gate.authenticate(bad)


@pytest.mark.parametrize(
    ("path", "claims", "roles"),
    [
        (("roles",), {"aud": "boards", "roles": ["admin"]}, {"admin"}),
        (("roles",), {"aud": ["boards"], "roles": ["admin"]}, {"admin"}),
        (("roles",), {"aud": ["boards", "listbackup"], "roles": ["admin"]}, set()),
        (
            ("boards/roles",),
            {"aud": ["boards", "x"], "boards/roles": ["admin"], "roles": ["root"]},
            {"admin"},
        ),
        (("access", "boards"), {"aud": "boards", "access": {"boards": ["admin"], "x": ["root"]}}, {"admin"}),
        (("access", "boards"), {"aud": "boards", "access": "boards", "roles": ["root"]}, set()),
    ],
)
def test_roles_are_those_of_the_system(
    provider_key: rsa.RSAPrivateKey,
    jwks_url: str,
    path: tuple[str, ...],
    claims: dict[str, object],
    roles: set[str],
) -> None:
    provider = IdentityProvider("https://id.example.org", "boards", jwks_url, roles=path)
    always = {"iss": "https://id.example.org", "sub": "ada", "exp": datetime.now(UTC) + timedelta(hours=1)}
    token = jwt.encode(always | claims, provider_key, algorithm="RS256", headers={"kid": "k1"})
    assert provider.authenticate(token).roles == roles


@pytest.mark.parametrize(
    ("claims", "email"), [({}, None), ({"email_verified": False}, None), ({"email_verified": True}, "a@b.c")]
)
def test_address_counts_only_if_the_token_says_that_it_was_verified(
    claims: dict[str, Any], email: str | None
) -> None:
    issuer = LocalIssuer()
    assert issuer.authenticate(issuer.issue("ada", email="a@b.c", **claims)).email == email


def test_unreachable_provider_is_unavailable(provider_key: rsa.RSAPrivateKey) -> None:
    with socket.socket() as unheard:
        unheard.bind(("127.0.0.1", 0))
        gate = IdentityProvider(
            "https://id.example.org", "boards", f"http://127.0.0.1:{unheard.getsockname()[1]}/"
        )
        token = jwt.encode({"sub": "ada"}, provider_key, algorithm="RS256", headers={"kid": "k1"})
        with pytest.raises(Unavailable):
            gate.authenticate(token)
