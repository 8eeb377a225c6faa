"""Policy file: the roles and users that call the server, with their access keys and IAM policies.

    {
      "roles": {
        "tenant": {
          "policies": ["tenant.json"],
          "access_keys": [
            {"id": "AKIDADA", "session": "ada", "tags": {"user_id": "u1"}},
            {"id": "AKIDBOB", "session": "bob", "tags": {"user_id": "u2"}}
          ]
        }
      },
      "users": {
        "ops": {"policies": [{"Version": "2012-10-17", "Statement": [...]}], "access_keys": ["AKIDOPS"]}
      }
    }

A policy is a document, or the name of a file beside this one with a document or a list of documents. `boundary` is a
permissions boundary, `tags` are tags of all sessions, `account` is another account than that of the tables. The secrets
are in the credentials file. A key of the credentials file that is not named here belongs to a user without policies: it
is denied everything that no resource policy allows.

Mistakes are reported when the server starts: an unknown member, a key without secret, a document that cannot be
evaluated.
"""

import json
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

from tablewright.dynamodb.policies import Caller, PolicyDocument, Principal, parse_document
from tablewright.engine.core.requests.arns import ACCOUNT
from tablewright.engine.features.authorization.authorizations import ADMINISTRATOR
from tablewright.errors import PolicyError
from tablewright.server.authentication.credentials import Keyring

_NAME = re.compile(r"[\w+=,.@/-]{1,64}", re.ASCII).fullmatch
_SESSION = re.compile(r"[\w+=,.@-]{2,64}", re.ASCII).fullmatch
_MEMBERS = ("policies", "access_keys", "boundary", "tags", "account")
_KEY_MEMBERS = ("id", "session", "tags")


def read_callers(keys: Keyring, path: str | os.PathLike[str] | None = None) -> Mapping[str, Caller]:
    """The caller of each access key; without a policy file, each is a user that may do everything."""
    callers = {} if path is None else _read(Path(path), keys)
    policies = (ADMINISTRATOR,) if path is None else ()
    for key_id, credential in keys.items():
        if key_id not in callers:
            name = re.sub(r"[^\w+=,.@-]", "-", credential.profile, flags=re.ASCII) or key_id
            callers[key_id] = Caller(Principal("user", name), policies)
    return callers


def _read(path: Path, keys: Keyring) -> dict[str, Caller]:
    file = _json(path)
    _require_members(path, "the file", file, ("roles", "users"))
    callers: dict[str, Caller] = {}
    kinds: tuple[tuple[str, Literal["role", "user"]], ...] = (("roles", "role"), ("users", "user"))
    for member, kind in kinds:
        for name, entry in _object(path, member, file.get(member, {})).items():
            for key_id, caller in _callers(path, kind, name, entry):
                where = f"{kind} {name}"
                if key_id not in keys:
                    raise _error(
                        path, where, f"access key {key_id} is not in the credentials file; add it there"
                    )
                if key_id in callers:
                    raise _error(path, where, f"access key {key_id} belongs to another role or user too")
                callers[key_id] = caller
    return callers


def _callers(
    path: Path, kind: Literal["role", "user"], name: str, entry: Any
) -> Iterator[tuple[str, Caller]]:
    where = f"{kind} {name}"
    if not _NAME(name):
        raise _error(path, where, "a name has letters, digits and +=,.@/_-")
    _require_members(path, where, entry, _MEMBERS)
    account = str(entry.get("account", ACCOUNT))
    if not re.fullmatch(r"[0-9]{12}", account):
        raise _error(path, where, f"account must have 12 digits, got {account}")
    policies = tuple(_documents(path, where, entry.get("policies", [])))
    limits = tuple(_documents(path, where, entry.get("boundary", [])))
    if len(limits) > 1:
        raise _error(path, where, "boundary must be one document")
    listed = entry.get("access_keys")
    if not isinstance(listed, list) or not listed:
        raise _error(path, where, "access_keys must be a list of access key IDs")
    for access_key in listed:
        key = {"id": access_key} if isinstance(access_key, str) else access_key
        _require_members(path, f"{where}, access_keys", key, _KEY_MEMBERS)
        if not isinstance(key.get("id"), str):
            raise _error(path, where, "an access key has no id")
        session = str(key.get("session", key["id"] if kind == "role" else ""))
        if kind == "user" and "session" in key:
            raise _error(path, where, "a user has no session; move it to roles")
        if kind == "role" and not _SESSION(session):
            raise _error(path, where, f"session {session!r} must have 2 to 64 letters, digits and +=,.@_-")
        tags = {**_tags(path, where, entry), **_tags(path, where, key)}
        principal = Principal(kind, name, account, session, tags)
        yield key["id"], Caller(principal, policies, limits[0] if limits else None)


def _documents(path: Path, where: str, content: Any) -> Iterator[PolicyDocument]:
    for entry in content if isinstance(content, list) else [content]:
        if isinstance(entry, str):
            file = path.parent / entry
            parsed = _json(file)
            for document in parsed if isinstance(parsed, list) else [parsed]:
                yield _document(file, where, document)
        else:
            yield _document(path, where, entry)


def _document(path: Path, where: str, document: Any) -> PolicyDocument:
    try:
        return parse_document(document)
    except PolicyError as error:
        raise _error(path, where, str(error)) from None


def _tags(path: Path, where: str, entry: Mapping[str, Any]) -> dict[str, str]:
    tags = _object(path, f"{where}, tags", entry.get("tags", {}))
    wrong = next((tag for tag, value in tags.items() if not isinstance(value, str)), None)
    if wrong is not None:
        raise _error(path, where, f"the value of the tag {wrong} must be text")
    return tags


def _object(path: Path, where: str, content: Any) -> dict[str, Any]:
    if not isinstance(content, dict):
        raise _error(path, where, "must be a JSON object")
    return content


def _require_members(path: Path, where: str, content: Any, known: tuple[str, ...]) -> None:
    unknown = next((name for name in _object(path, where, content) if name not in known), None)
    if unknown is not None:
        raise _error(path, where, f"has no member {unknown}; it has: {', '.join(known)}")


def _json(path: Path) -> Any:
    try:
        return json.loads(path.expanduser().read_text())
    except OSError as error:
        raise PolicyError(f"{path} cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise PolicyError(f"{path} is not valid JSON: {error}") from None


def _error(path: Path, where: str, problem: str) -> PolicyError:
    return PolicyError(f"{path}, {where}: {problem}")
