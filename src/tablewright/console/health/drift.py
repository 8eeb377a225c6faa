"""Drift: tables as declared beside tables as found, and the steps of a deployment."""

from typing import Any

from tablewright.access.calls.procedures import run_sync
from tablewright.console.command_lines import command_line
from tablewright.console.open_designs import OpenDesign
from tablewright.lifecycle.deploy.deployment import TableComparison, compare_tables
from tablewright.lifecycle.deploy.setting_comparison import compare_settings


def drift(opened: OpenDesign) -> dict[str, Any]:
    """Compare the tables with their design; `state` is `same`, `different`, or `missing` if no table exists."""
    db = opened.db
    compared = run_sync(compare_tables(db.design, db.context), db.connection.call)
    tables = [_table(each) for each in compared]
    different = sum(table["state"] != "same" for table in tables)
    state = "different" if different else "same"
    if tables and all(table["state"] == "missing" for table in tables):
        state = "missing"
    return {
        "state": state,
        "different": different,
        "tables": tables,
        "commands": {"plan": command_line(opened, "plan"), "deploy": command_line(opened, "deploy")},
    }


def _table(compared: TableComparison) -> dict[str, Any]:
    plan = compared.plan
    state = "different" if plan.steps or plan.obstacles else "same"
    if compared.current is None:
        state = "missing"
    settings = compare_settings(compared.desired, compared.current, plan.steps)
    return {
        "table": compared.desired.name,
        "state": state,
        "settings": [
            {
                "setting": each.setting,
                "declared": each.declared,
                "found": each.found,
                "state": each.state,
                "step": each.step,
            }
            for each in settings
        ],
        **plan.as_data(),
    }
