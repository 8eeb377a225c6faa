"""`tablewright token`: claims and errors. tests/cli/commands/test_up.py uses its tokens."""

from pathlib import Path

import pytest

from tablewright_systems.hosting import issuer_for
from tests.cli.runner import error_line, run


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["unknown"], "unknown system 'unknown'; the systems are: boards"),
        (["boards"], "data file tablewright.db does not exist; start the systems first: tablewright up"),
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
    assert message in error_line("token", *arguments, cwd=tmp_path)


@pytest.mark.parametrize(("more", "email"), [([], "ada@example.org"), (["email_verified=false"], None)])
def test_address_is_verified_unless_a_claim_says_otherwise(
    tmp_path: Path, more: list[str], email: str | None
) -> None:
    data = tmp_path / "tablewright.db"
    data.touch()
    claims = [part for claim in ("email=ada@example.org", *more) for part in ("--claim", claim)]
    token = run("token", "boards", "--as", "ada", *claims, cwd=tmp_path).stdout.strip()
    assert issuer_for(data).authenticate(token).email == email
