"""Credentials: the keys that may sign requests, read from a file in the form of `~/.aws/credentials`.

What the file says must be plain: a key that is written twice, or a secret left empty, is refused by the line, rather
than found out about when a client is.
"""

import os
import re
import shlex
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from tablewright.errors import CredentialsError

KEY_ID, SECRET, TOKEN = "aws_access_key_id", "aws_secret_access_key", "aws_session_token"

_PROFILE = re.compile(r"\[([^\]]+)\]\s*(?:[#;].*)?")
_SETTING = re.compile(r"([\w.-]+)\s*[=:]\s*(.*)")
# What a signature's scope can name: it is cut at slashes, and the header that carries it at commas.
_NAMEABLE = re.compile(r"[^\s/,]+")


@dataclass(frozen=True, slots=True, repr=False)
class Credential:
    """What a client signs with; never printed."""

    key_id: str
    secret: str
    token: str | None = None


Keyring = Mapping[str, Credential]
# The settings of a profile, each with the number of its line.
_Profile = dict[str, tuple[int, str]]


def read_credentials(path: str | os.PathLike[str]) -> Keyring:
    """Every credential of a file, by its access key id."""
    keys: dict[str, Credential] = {}
    for profile in _profiles(path, _read_private(path)):
        if KEY_ID not in profile or SECRET not in profile:
            continue
        credential = _credential(path, profile)
        if credential.key_id in keys:
            raise _wrong(path, profile[KEY_ID][0], f"a second profile has this {KEY_ID}; remove one")
        keys[credential.key_id] = credential
    if not keys:
        raise CredentialsError(f"{path} holds no {KEY_ID} with its {SECRET}; add a profile to it")
    return keys


def _read_private(path: str | os.PathLike[str]) -> str:
    """The text of a file that nobody but its owner may read."""
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
        raise _no_such_file(path) from None


def _profiles(path: str | os.PathLike[str], text: str) -> Iterator[_Profile]:
    profile: _Profile | None = None
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.lstrip()[0] in "#;" or (profile and line[0].isspace()):
            continue  # An indented line belongs to a setting that is not ours, such as `s3 =`.
        if _PROFILE.fullmatch(line.strip()):
            if profile is not None:
                yield profile
            profile = {}
            continue
        setting = _SETTING.fullmatch(line.strip())
        if profile is None or setting is None:
            raise _no_such_file(path, number)
        name = setting[1].lower()
        if name in profile:
            raise _wrong(path, number, f"{name} is written twice in one profile; remove one")
        profile[name] = number, setting[2]
    if profile is not None:
        yield profile


def _credential(path: str | os.PathLike[str], profile: _Profile) -> Credential:
    number, key_id = profile[KEY_ID]
    if not _NAMEABLE.fullmatch(key_id):
        raise _wrong(
            path, number, f"{KEY_ID} is empty, or has a slash, a comma or a space in it; write another"
        )
    number, secret = profile[SECRET]
    if not secret:
        raise _wrong(path, number, f"{SECRET} is empty; write one")
    _, token = profile.get(TOKEN, (0, ""))
    return Credential(key_id, secret, token or None)


def _no_such_file(path: str | os.PathLike[str], number: int | None = None) -> CredentialsError:
    place = f", as line {number} shows" if number else ""
    return CredentialsError(
        f"{path} is not a credentials file{place}; write it as ~/.aws/credentials is written"
    )


def _wrong(path: str | os.PathLike[str], number: int, complaint: str) -> CredentialsError:
    return CredentialsError(f"{path}, line {number}: {complaint}")
