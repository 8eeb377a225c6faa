"""`tablewright-systems token`: claims and errors. test_up.py uses its tokens."""

from pathlib import Path

import pytest
from tablewright_systems.hosting import issuer_for
from tablewright_systems.service.errors import Unauthenticated

from systems.tests.commands.runner import error_line_here, run_here


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["unknown"], "unknown system 'unknown'; the systems are: boards"),
        (
            ["boards"],
            "data file tablewright.db does not exist; start the systems first: tablewright-systems up",
        ),
        (
            ["boards", "--on", "http://127.0.0.1:8000"],
            "token cannot use http://127.0.0.1:8000; give FILE with --on",
        ),
        (["boards", "--claim", "roles=admin"], "--claim cannot set roles; use --role"),
        (["boards", "--claim", "sub=eve"], "--claim cannot set sub; use --as"),
        (["boards", "--claim", "exp=1"], "--claim cannot set exp; its value is automatic"),
        (["boards", "--claim", "email"], "--claim must be NAME=VALUE"),
    ],
)
def test_invalid_arguments(tmp_path: Path, arguments: list[str], message: str) -> None:
    assert message in error_line_here("token", *arguments, cwd=tmp_path)


def test_token_is_valid_for_its_system_only(tmp_path: Path) -> None:
    data = tmp_path / "tablewright.db"
    data.touch()
    token = run_here("token", "boards", "--as", "ada", "--role", "admin", cwd=tmp_path).stdout.strip()
    assert issuer_for(data).for_audience("boards").authenticate(token).roles == {"admin"}
    with pytest.raises(Unauthenticated):
        issuer_for(data).for_audience("listbackup").authenticate(token)


@pytest.mark.parametrize(("more", "email"), [([], "ada@example.org"), (["email_verified=false"], None)])
def test_address_is_verified_unless_a_claim_says_otherwise(
    tmp_path: Path, more: list[str], email: str | None
) -> None:
    data = tmp_path / "tablewright.db"
    data.touch()
    claims = [part for claim in ("email=ada@example.org", *more) for part in ("--claim", claim)]
    token = run_here("token", "boards", "--as", "ada", *claims, cwd=tmp_path).stdout.strip()
    assert issuer_for(data).for_audience("boards").authenticate(token).email == email
