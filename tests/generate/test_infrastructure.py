"""Infrastructure code: a design's tables in CloudFormation, Terraform and CDK, as their own tools read it."""

import ast
import io
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import hcl2
import pytest
from cfnlint.api import lint_all

from tablewright import Design, Index, Table, billing
from tablewright.generate.cdk import cdk
from tablewright.generate.cloudformation import cloudformation
from tablewright.generate.terraform import terraform
from tablewright_systems.registry import SYSTEMS

RICH = Design(
    "rich",
    tables=[
        Table(
            "rich-{env}-main",
            ("PK", "SK"),
            [
                Index("by-team", "team", "rank", projection=["name"]),
                Index("by-place", ("country", "city"), ("street", "number")),
                Index("local", "PK", "rank", local=True, projection="KEYS_ONLY"),
            ],
            types={"rank": "N"},
            ttl="expiresAt",
            stream="NEW_AND_OLD_IMAGES",
            billing=billing.Provisioned(5, 7),
            encryption_key="arn:aws:kms:eu-north-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab",
            point_in_time_recovery=True,
            deletion_protection=True,
            table_class="STANDARD_INFREQUENT_ACCESS",
            tags={"team": "a", "cost-centre": "b"},
        )
    ],
)
DESIGNS = [RICH, *(system.design for system in SYSTEMS)]


@pytest.fixture(params=DESIGNS, ids=lambda design: design.name)
def design(request: pytest.FixtureRequest) -> Design:
    found: Design = request.param
    return found


def test_cloudformation_passes_its_linter(design: Design) -> None:
    # Informational rules, which the linter's own command leaves out too, ask for prose about the architecture.
    found = [match for match in lint_all(cloudformation(design)) if not match.rule.id.startswith("I")]
    assert list(map(str, found)) == []


def test_cloudformation_has_every_setting() -> None:
    ((_, resource),) = json.loads(cloudformation(RICH))["Resources"].items()
    made = resource["Properties"]
    assert made["TableName"] == {"Fn::Sub": "rich-${Environment}-main"}
    assert made["TimeToLiveSpecification"] == {"AttributeName": "expiresAt", "Enabled": True}
    assert made["PointInTimeRecoverySpecification"] == {"PointInTimeRecoveryEnabled": True}
    assert made["SSESpecification"]["SSEEnabled"]
    assert [index["IndexName"] for index in made["GlobalSecondaryIndexes"]] == ["by-team", "by-place"]
    assert made["LocalSecondaryIndexes"][0]["Projection"] == {"ProjectionType": "KEYS_ONLY"}
    assert resource["DeletionPolicy"] == resource["UpdateReplacePolicy"] == "Retain"


def test_terraform_parses(design: Design) -> None:
    found: Any = hcl2.load(io.StringIO(terraform(design)))
    assert len(found["resource"]) == len(design.tables)


@pytest.mark.skipif(shutil.which("terraform") is None, reason="no terraform here")
def test_terraform_is_formatted(design: Design, tmp_path: Path) -> None:
    file = tmp_path / "main.tf"
    file.write_text(terraform(design))
    told = subprocess.run(["terraform", "fmt", "-check", "-diff", str(file)], capture_output=True, text=True)
    assert told.returncode == 0, told.stdout


def test_cdk_is_python_with_a_construct_for_each_table(design: Design) -> None:
    tree = ast.parse(cdk(design))
    made = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "CfnTable"
    ]
    assert len(made) == len(design.tables)
