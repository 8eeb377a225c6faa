"""Tampering: a signed request that is changed anywhere is rejected."""

from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from tablewright.server.authentication import signatures
from tests.server.authentication.test_signatures import KEYS, signing_time
from tests.server.signature_tampering import Tamperer, accepted

sign = signatures.sign


@pytest.mark.parametrize("count", [400, pytest.param(10_000, marks=pytest.mark.soak)])
def test_no_tampered_request_is_accepted(count: int) -> None:
    found, kinds = accepted(seed=count, count=count)
    assert found == []
    assert len(kinds) == 15


def test_the_unchanged_requests_are_accepted() -> None:
    tamperer = Tamperer(1)
    for _ in range(100):
        original = tamperer.tampering().original
        signatures.Signatures(KEYS, "us-east-1", partial(signing_time, original)).verify(original)


def without_body(request: Any, *rest: Any) -> str:
    return sign(replace(request, body=b""), *rest)


def without_method(request: Any, *rest: Any) -> str:
    return sign(replace(request, method=b"POST"), *rest)


def without_target(request: Any, *rest: Any) -> str:
    return sign(replace(request, target=b"/"), *rest)


def compare_prefix(expected: bytes, given: bytes) -> bool:
    return expected.startswith(given[:1]) if given else True


@pytest.mark.parametrize(
    ("place", "planted", "kind"),
    [
        ("hmac.compare_digest", lambda one, other: True, "_change_body"),
        ("hmac.compare_digest", compare_prefix, "_shorten_signature"),
        ("_require_token", lambda request, credential: None, "_change_token"),
    ],
)
def test_planted_bugs_in_the_comparison_are_found(
    monkeypatch: pytest.MonkeyPatch, place: str, planted: Any, kind: str
) -> None:
    monkeypatch.setattr(f"tablewright.server.authentication.signatures.{place}", planted)
    assert kind in {each.kind for each in accepted(seed=1, count=1_000)[0]}


@pytest.mark.parametrize(
    ("planted", "kind"),
    [
        (without_body, "_change_body"),
        (without_method, "_change_method"),
        (without_target, "_change_target"),
    ],
)
def test_a_signature_that_leaves_something_out_is_found(
    monkeypatch: pytest.MonkeyPatch, planted: Any, kind: str
) -> None:
    monkeypatch.setattr("tablewright.server.authentication.signatures.sign", planted)
    found, _ = accepted(1, 1_000, planted)
    assert {each.kind for each in found} >= {kind}
    monkeypatch.undo()
    assert accepted(1, 1_000)[0] == []
