"""Password hashes: salted scrypt."""

import hashlib
import hmac
import secrets

from tablewright_systems.service import Invalid

MIN_LENGTH = 10

_COST = {"n": 2**14, "r": 8, "p": 1, "maxmem": 2**26}
_DUMMY_HASH = "00" * 16 + "$" + "00" * 64


def hashed(password: str) -> str:
    """Return the salted hash of a new password; raise `Invalid` if the password is too short."""
    if len(password) < MIN_LENGTH:
        raise Invalid(f"a password must have at least {MIN_LENGTH} characters", "password")
    salt = secrets.token_bytes(16)
    return f"{salt.hex()}${_derived(password, salt).hex()}"


def matches(password: str, stored: str | None) -> bool:
    """Return whether a password has this hash. Without one it takes as long, so that timing reveals no user.

    >>> matches("correct horse", hashed("correct horse")), matches("correct horse", None)
    (True, False)
    """
    salt, _, expected = (stored or _DUMMY_HASH).partition("$")
    is_equal = hmac.compare_digest(_derived(password, bytes.fromhex(salt)).hex(), expected)
    return is_equal and stored is not None


def _derived(password: str, salt: bytes) -> bytes:
    return hashlib.scrypt(password.encode(), salt=salt, **_COST)
