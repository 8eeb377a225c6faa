"""Credentials: the keys that may sign requests, read from a file in the form of `~/.aws/credentials`."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tablewright.errors import CredentialsError


@dataclass(frozen=True, slots=True, repr=False)
class Credential:
    """What a client signs with; never printed."""

    key_id: str
    secret: str
    token: str | None = None


Keyring = Mapping[str, Credential]


def read_credentials(path: str | os.PathLike[str]) -> Keyring:
    """Every credential of a file, by its access key id."""
    # Only a server that verifies signatures pays for this import.
    from configparser import Error, RawConfigParser

    parser = RawConfigParser()
    try:
        parser.read_string(Path(path).expanduser().read_text())
    except OSError as error:
        raise CredentialsError(f"{path} cannot be read: {error.strerror}") from None
    except RuntimeError:
        raise CredentialsError(f"{path} cannot be read: there is no such home directory") from None
    except (Error, UnicodeDecodeError):
        raise CredentialsError(
            f"{path} is not a credentials file; write it as ~/.aws/credentials is written"
        ) from None
    keys = {}
    for section in parser.sections():
        entries = parser[section]
        key_id, secret = entries.get("aws_access_key_id"), entries.get("aws_secret_access_key")
        if key_id and secret:
            keys[key_id] = Credential(key_id, secret, entries.get("aws_session_token"))
    if not keys:
        raise CredentialsError(
            f"{path} holds no aws_access_key_id with its aws_secret_access_key; add a profile to it"
        )
    return keys
