"""Credentials: the access keys that may sign requests, read from a file in the format of `~/.aws/credentials`.

Mistakes in the file, such as a key that is written twice or an empty secret, are reported with the line when the server
starts, not when a client is rejected.
"""

import os
import re
import shlex
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tablewright.errors import CredentialsError

KEY_ID, SECRET, TOKEN = "aws_access_key_id", "aws_secret_access_key", "aws_session_token"

_PROFILE = re.compile(r"\[([^\]]+)\]\s*(?:[#;].*)?")
_SETTING = re.compile(r"([\w.-]+)\s*[=:]\s*(.*)")
# A signature's scope is split at slashes, and the header that contains it at commas.
_KEY_ID_FORMAT = re.compile(r"[^\s/,]+")


@dataclass(frozen=True, slots=True, repr=False)
class Credential:
    """An access key with its secret; never printed."""

    key_id: str
    secret: str
    token: str | None = None
    profile: str = field(default="", compare=False)
    """The name of its profile."""


Keyring = Mapping[str, Credential]
# The settings of a profile, each with the number of its line; its name is the setting "".
_Profile = dict[str, tuple[int, str]]


def read_credentials(path: str | os.PathLike[str]) -> Keyring:
    """All credentials of a file, by their access key IDs."""
    keys: dict[str, Credential] = {}
    for profile in _profiles(path, _read_private(path)):
        if KEY_ID not in profile or SECRET not in profile:
            continue
        credential = _credential(path, profile)
        if credential.key_id in keys:
            raise _error_at(path, profile[KEY_ID][0], f"a second profile has this {KEY_ID}; remove one")
        keys[credential.key_id] = credential
    if not keys:
        raise CredentialsError(f"{path} contains no {KEY_ID} with its {SECRET}; add a profile")
    return keys


def _read_private(path: str | os.PathLike[str]) -> str:
    """The text of a file; an error if users other than the owner may read it."""
    try:
        with Path(path).expanduser().open() as file:
            mode = stat.S_IMODE(os.fstat(file.fileno()).st_mode)
            if os.name == "posix" and mode & (stat.S_IRWXG | stat.S_IRWXO):
                raise CredentialsError(
                    f"{path} can be read or written by others (mode {mode:04o}): chmod 600 {shlex.quote(file.name)}"
                )
            return file.read()
    except OSError as error:
        raise CredentialsError(f"{path} cannot be read: {error.strerror}") from None
    except RuntimeError:
        raise CredentialsError(f"{path} cannot be read: there is no such home directory") from None
    except UnicodeDecodeError:
        raise _not_credentials(path) from None


def _profiles(path: str | os.PathLike[str], text: str) -> Iterator[_Profile]:
    profile: _Profile | None = None
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.lstrip()[0] in "#;" or (profile and line[0].isspace()):
            continue  # An indented line belongs to a nested setting, such as `s3 =`.
        if (named := _PROFILE.fullmatch(line.strip())) is not None:
            if profile is not None:
                yield profile
            profile = {"": (number, named[1].strip())}
            continue
        setting = _SETTING.fullmatch(line.strip())
        if profile is None or setting is None:
            raise _not_credentials(path, number)
        name = setting[1].lower()
        if name in profile:
            raise _error_at(path, number, f"{name} is written twice in one profile; remove one")
        profile[name] = number, setting[2]
    if profile is not None:
        yield profile


def _credential(path: str | os.PathLike[str], profile: _Profile) -> Credential:
    number, key_id = profile[KEY_ID]
    if not _KEY_ID_FORMAT.fullmatch(key_id):
        raise _error_at(
            path, number, f"{KEY_ID} is empty, or has a slash, a comma or a space in it; use another"
        )
    number, secret = profile[SECRET]
    if not secret:
        raise _error_at(path, number, f"{SECRET} is empty; add the secret")
    _, token = profile.get(TOKEN, (0, ""))
    return Credential(key_id, secret, token or None, profile[""][1])


def _not_credentials(path: str | os.PathLike[str], number: int | None = None) -> CredentialsError:
    place = f", as line {number} shows" if number else ""
    return CredentialsError(f"{path} is not a credentials file{place}; use the format of ~/.aws/credentials")


def _error_at(path: str | os.PathLike[str], number: int, problem: str) -> CredentialsError:
    return CredentialsError(f"{path}, line {number}: {problem}")
