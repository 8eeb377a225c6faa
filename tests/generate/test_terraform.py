"""Terraform modules: valid HCL, formatted, with every setting."""

import io
import shutil
import subprocess
from pathlib import Path
from typing import Any

import hcl2
import pytest

from tablewright import Design, Index, Table, billing
from tablewright.generate.terraform import terraform
from tests.generate.designs import DESIGNS, RICH, SCALED

all_designs = pytest.mark.parametrize("design", DESIGNS, ids=lambda design: design.name)


@all_designs
def test_the_module_has_a_resource_for_each_table(design: Design) -> None:
    found: Any = hcl2.load(io.StringIO(terraform(design)))
    tables = [resource for resource in found["resource"] if '"aws_dynamodb_table"' in resource]
    assert len(tables) == len(design.tables)


@all_designs
@pytest.mark.skipif(shutil.which("terraform") is None, reason="no terraform here")
def test_the_module_is_formatted(design: Design, tmp_path: Path) -> None:
    file = tmp_path / "main.tf"
    file.write_text(terraform(design))
    result = subprocess.run(
        ["terraform", "fmt", "-check", "-diff", str(file)], capture_output=True, text=True
    )
    assert result.returncode == 0, result.stdout


def test_the_module_has_every_setting() -> None:
    text = " ".join(terraform(RICH).split())
    for setting in (
        'name = "rich-${var.environment}-main"',
        'billing_mode = "PROVISIONED"',
        "read_capacity = 5",
        'stream_view_type = "NEW_AND_OLD_IMAGES"',
        'table_class = "STANDARD_INFREQUENT_ACCESS"',
        "deletion_protection_enabled = true",
        'ttl { attribute_name = "expiresAt" enabled = true }',
        "point_in_time_recovery { enabled = true }",
        "lifecycle { prevent_destroy = true }",
        '"cost-centre" = "b"',
        'non_key_attributes = ["name"]',
    ):
        assert setting in text, setting


def test_the_module_has_capacity_settings_insights_and_replicas() -> None:
    text = " ".join(terraform(SCALED).split())
    for setting in (
        'resource "aws_appautoscaling_target" "scaled_main_by_team_write"',
        'resource_id = "table/${aws_dynamodb_table.scaled_main.name}/index/by-team"',
        "target_value = 60 predefined_metric_specification",
        "ignore_changes = [read_capacity, write_capacity, global_secondary_index]",
        "on_demand_throughput { max_read_request_units = 100 max_write_request_units = 50 }",
        "warm_throughput { read_units_per_second = 12000 write_units_per_second = 4000 }",
        'replica { region_name = "eu-west-1" }',
        "recovery_period_in_days = 7",
        "server_side_encryption { enabled = true }",
        'resource "aws_dynamodb_contributor_insights" "scaled_main_by_team"',
        'resource "aws_dynamodb_resource_policy" "scaled_main"',
    ):
        assert setting in text, setting


def test_text_is_not_a_template_of_terraform() -> None:
    """Terraform replaces ${...} and %{...} in texts, and a policy has variables of IAM in the same form."""
    statement = {
        "Effect": "Deny",
        "Principal": "*",
        "Action": "dynamodb:GetItem",
        "Resource": "*",
        "Condition": {"StringNotLike": {"dynamodb:LeadingKeys": "${aws:PrincipalTag/user}"}},
    }
    policy = {"Version": "2012-10-17", "Statement": [statement]}
    table = Table("app-{env}", key="id", tags={"owner": "${team} %{x}"}, resource_policy=policy)
    text = terraform(Design("app", tables=[table]))
    assert '"owner" = "$${team} %%{x}"' in text
    assert "$${aws:PrincipalTag/user}" in text
    assert '"app-${var.environment}"' in text


def test_scaled_capacity_is_left_alone() -> None:
    scaled = billing.Autoscaled(read=5, write=6, max_read=50, max_write=60)
    index = Index("by-team", "team", billing=scaled)
    table = Table("app", key="id", indexes=[index], billing=billing.Provisioned(1, 1))
    assert "ignore_changes  = [global_secondary_index]" in terraform(Design("app", tables=[table]))
    table = Table("app", key="id", indexes=[Index("by-team", "team")], billing=scaled)
    assert "ignore_changes  = [read_capacity, write_capacity, global_secondary_index]" in terraform(
        Design("app", tables=[table])
    )
