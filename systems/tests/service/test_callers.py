"""What a token says about its caller."""

import pytest
from tablewright_systems.service import Caller, Forbidden


@pytest.mark.parametrize("verified", [None, False, "true", 1, 0, "false"])
def test_address_is_unverified_unless_the_claim_is_true(verified: object) -> None:
    claims = {"email": "ada@example.org"} | ({} if verified is None else {"email_verified": verified})
    assert Caller("ada", claims).email is None


def test_verified_address() -> None:
    assert Caller("ada", {"email": "ada@example.org", "email_verified": True}).email == "ada@example.org"
    assert Caller("ada", {"email": 5, "email_verified": True}).email is None


def test_one_of_the_roles_is_required() -> None:
    Caller("ada", {"roles": ["worker"]}).require_role("admin", "worker")
    for claims in ({}, {"roles": "admin"}, {"roles": ["user"]}):
        with pytest.raises(Forbidden, match="this requires the role admin or worker"):
            Caller("ada", claims).require_role("admin", "worker")
