"""Terraform modules: valid HCL, formatted, with every setting."""

import io
import shutil
import subprocess
from pathlib import Path
from typing import Any

import hcl2
import pytest

from tablewright import Design
from tablewright.generate.terraform import terraform
from tests.generate.designs import DESIGNS, RICH

all_designs = pytest.mark.parametrize("design", DESIGNS, ids=lambda design: design.name)


@all_designs
def test_the_module_has_a_resource_for_each_table(design: Design) -> None:
    found: Any = hcl2.load(io.StringIO(terraform(design)))
    assert len(found["resource"]) == len(design.tables)


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
