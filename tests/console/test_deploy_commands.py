"""The command that deploys an open design, as the pages show it."""

from dataclasses import replace

import pytest

from tablewright import connect
from tablewright.console.deploy_commands import deploy_command
from tablewright.console.open_designs import OpenDesign
from tests.access.streams.goals import design


def opened(location: str) -> OpenDesign:
    return OpenDesign(connect(design), "Goals", location, "shop.design:design")


def test_a_design_in_memory_needs_no_location() -> None:
    assert deploy_command(opened("memory")) == "tablewright deploy shop.design:design"


def test_the_location_is_quoted() -> None:
    assert deploy_command(opened("my shop.db")) == "tablewright deploy shop.design:design --on 'my shop.db'"


@pytest.mark.parametrize(("environment", "prefix"), [("prod", ""), (None, "x-"), ("prod", "x-")])
def test_the_environment_and_the_prefix_are_given(environment: str | None, prefix: str) -> None:
    found = opened("aws:eu-north-1")
    context = replace(found.db.context, environment=environment, prefix=prefix)
    found.db.context = context
    command = deploy_command(found).split()
    assert command[3:5] == ["--on", "aws:eu-north-1"]
    assert ("--env" in command, "--prefix" in command) == (environment is not None, bool(prefix))
