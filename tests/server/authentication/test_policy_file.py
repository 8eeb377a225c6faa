"""Policy files: who has which policies, and errors that name the file, the role and the fix."""

import json
from pathlib import Path
from typing import Any

import pytest

from tablewright.dynamodb.policies import Caller
from tablewright.engine.features.authorization.authorizations import ADMINISTRATOR
from tablewright.errors import PolicyError
from tablewright.server.authentication.credentials import Credential
from tablewright.server.authentication.policy_file import read_callers

READ = {
    "Version": "2012-10-17",
    "Statement": [{"Effect": "Allow", "Action": "dynamodb:GetItem", "Resource": "*"}],
}
KEYS = {
    name: Credential(name, "secret", profile=profile)
    for name, profile in (("AKIDADA", "ada"), ("AKIDBOB", "bob and co"), ("AKIDOPS", "ops"))
}


def read(tmp_path: Path, file: Any) -> dict[str, Caller]:
    path = tmp_path / "roles.json"
    path.write_text(json.dumps(file))
    return dict(read_callers(KEYS, path))


def test_roles_have_sessions_with_tags_and_users_have_none(tmp_path: Path) -> None:
    (tmp_path / "tenant.json").write_text(json.dumps([READ, READ]))
    tenant = {
        "policies": ["tenant.json"],
        "tags": {"team": "blue", "user_id": "none"},
        "boundary": READ,
        "access_keys": [{"id": "AKIDADA", "session": "ada", "tags": {"user_id": "u1"}}],
    }
    users = {"ops": {"policies": READ, "access_keys": ["AKIDOPS"], "account": "210987654321"}}
    callers = read(tmp_path, {"roles": {"tenant": tenant}, "users": users})
    ada = callers["AKIDADA"]
    assert ada.principal.arn == "arn:aws:sts::123456789012:assumed-role/tenant/ada"
    assert ada.principal.tags == {"team": "blue", "user_id": "u1"}
    assert len(ada.policies) == 2
    assert ada.boundary is not None
    assert callers["AKIDOPS"].principal.arn == "arn:aws:iam::210987654321:user/ops"
    assert len(callers["AKIDOPS"].policies) == 1


def test_a_key_that_no_role_has_belongs_to_a_user_without_policies(tmp_path: Path) -> None:
    caller = read(tmp_path, {})["AKIDBOB"]
    assert caller.principal.arn == "arn:aws:iam::123456789012:user/bob-and-co"
    assert caller.policies == ()


def test_without_a_file_every_key_is_an_administrator() -> None:
    assert {caller.policies for caller in read_callers(KEYS).values()} == {(ADMINISTRATOR,)}


def role(**members: Any) -> dict[str, Any]:
    return {"roles": {"web": {"policies": [READ], "access_keys": ["AKIDADA"], **members}}}


@pytest.mark.parametrize(
    ("file", "message"),
    [
        ([], "roles.json, the file: must be a JSON object"),
        ({"role": {}}, "roles.json, the file: has no member role; it has: roles, users"),
        (role(policy=[]), "role web: has no member policy; it has: policies, access_keys"),
        (role(access_keys=[]), "role web: access_keys must be a list of access key IDs"),
        (role(access_keys=["AKIDEVE"]), "access key AKIDEVE is not in the credentials file; add it there"),
        (role(access_keys=["AKIDADA", "AKIDADA"]), "access key AKIDADA belongs to another role or user too"),
        (role(access_keys=[{"session": "s"}]), "an access key has no id"),
        (
            role(access_keys=[{"id": "AKIDADA", "sesion": "s"}]),
            "has no member sesion; it has: id, session, tags",
        ),
        (role(access_keys=[{"id": "AKIDADA", "session": "a b"}]), "session 'a b' must have 2 to 64 letters"),
        (role(account="12"), "account must have 12 digits, got 12"),
        (role(tags={"n": 1}), "the value of the tag n must be text"),
        (role(policies=[{"Statement": []}]), "role web: a policy must have at least one Statement"),
        (role(policies=["missing.json"]), "missing.json cannot be read: No such file or directory"),
        (role(boundary=[READ, READ]), "boundary must be one document"),
        ({"roles": {"a b": {}}}, "role a b: a name has letters, digits"),
        ({"users": {"ada": {"access_keys": [{"id": "AKIDADA", "session": "s1"}]}}}, "a user has no session"),
    ],
)
def test_mistakes_are_reported_by_name(tmp_path: Path, file: Any, message: str) -> None:
    with pytest.raises(PolicyError) as caught:
        read(tmp_path, file)
    assert message in str(caught.value)


def test_a_file_that_is_not_json(tmp_path: Path) -> None:
    (tmp_path / "roles.json").write_text("{")
    with pytest.raises(PolicyError, match=r"roles\.json is not valid JSON"):
        read_callers(KEYS, tmp_path / "roles.json")
