"""The document's commands, as they are printed there, with an endpoint added."""

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from tablewright_systems.student_hub.design import design
from tablewright_systems.student_hub.samples import DEMO_USER, fill

from systems.tests.student_hub.fixtures import run_together
from tablewright import connect
from tests.server.processes import ServerProcess

# Copied from the document.
PRINTED = r"""
aws dynamodb create-backup \
  --table-name leavs-main-user-profiles \
  --backup-name leavs-profiles-backup-2024-02-18

# List tables
aws dynamodb list-tables

# Describe table
aws dynamodb describe-table --table-name leavs-main-user-profiles

# Get item
aws dynamodb get-item \
  --table-name leavs-main-user-profiles \
  --key '{"userId": {"S": "abc-123"}}'

# Scan table (all items, use with caution)
aws dynamodb scan --table-name leavs-main-user-profiles

# Count items
aws dynamodb scan --table-name leavs-main-user-profiles --select COUNT
"""
COMMANDS = [line for line in PRINTED.replace("\\\n", "").splitlines() if line.startswith("aws ")]
STUDENTS = 5
REGION = "eu-north-1"


@pytest.fixture(scope="module")
def server() -> Iterator[ServerProcess]:
    """A server that holds Student Hub, with sample data."""
    with ServerProcess("--memory", "--region", REGION) as process:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("AWS_DEFAULT_REGION", REGION)  # each region has tables of its own
            with connect(design, process.url, environment="main", create=True) as db:
                fill(db, STUDENTS)
        yield process


def run(server: ServerProcess, command: str) -> Any:
    """Run a command in a shell without AWS settings."""
    program = Path(sys.executable).with_name("aws")
    words = [str(program), *shlex.split(command)[1:], "--endpoint-url", server.url]
    environment = {
        "PATH": os.environ["PATH"],
        "AWS_ACCESS_KEY_ID": "any",
        "AWS_SECRET_ACCESS_KEY": "any",
        "AWS_DEFAULT_REGION": REGION,
        "AWS_EC2_METADATA_DISABLED": "true",
    }
    answer = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stderr
    return json.loads(answer.stdout)


def test_every_command_of_the_document_works(server: ServerProcess) -> None:
    backup, tables, table, item, scanned, counted = run_together(
        [partial(run, server, command) for command in COMMANDS], must_overlap=False
    )
    assert backup["BackupDetails"]["BackupName"] == "leavs-profiles-backup-2024-02-18"
    assert {
        f"leavs-main-{name}" for name in ("user-profiles", "user-progress", "deadlines", "feedback")
    } <= set(tables["TableNames"])
    assert table["Table"]["KeySchema"] == [{"AttributeName": "userId", "KeyType": "HASH"}]
    assert table["Table"]["BillingModeSummary"]["BillingMode"] == "PAY_PER_REQUEST"
    assert item["Item"]["userId"] == {"S": DEMO_USER}
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", item["Item"]["updatedAt"]["S"])
    assert item["Item"] in scanned["Items"]
    assert counted["Count"] == len(scanned["Items"]) == STUDENTS
    assert "Items" not in counted
