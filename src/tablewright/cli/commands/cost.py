"""Estimate the capacity and the monthly cost of a design, without running it and without a network.

The design declares rates, sizes and counts (`Expect`, `rate`, `items`); a workload file completes or overrides them.
Prices come from a dated file of the package. Assumptions are listed at the end.
"""

import argparse
import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tablewright.cli.arguments import design_argument, json_argument, workload_argument
from tablewright.cli.data_locations import load_design
from tablewright.cli.output import (
    Column,
    bold,
    count,
    faint,
    green,
    print_json,
    print_line,
    print_table,
    red,
    write_file,
    yellow,
)
from tablewright.errors import UsageError

if TYPE_CHECKING:
    from tablewright.planning.capacity_demand import Units
    from tablewright.planning.cost_estimate import CostDifference, Estimate, Line, TableEstimate

NAME = "cost"
SUMMARY = "estimate the capacity and the monthly cost of a design"
EPILOG = """\
examples:
  tablewright cost shop.design:design                                 use the declared workload
  tablewright cost shop.design:design --workload month.json           use a workload file
  tablewright cost shop.design:design --region us-west-2 --json
  tablewright cost shop.design:design --diff shop.former:design       compare with another design
  tablewright cost shop.design:design --html cost.html                a page on which rates can be changed
  tablewright cost shop.design:design --prices eu.json --region eu-north-1
"""

_LINE_COLUMNS = (
    Column("PATTERN"),
    Column("PER MONTH", "right"),
    Column("UNITS EACH", "right"),
    Column("UNITS", "right"),
    Column("ON DEMAND", "right"),
)
_TABLE_COLUMNS = (
    Column("TABLE"),
    Column("ITEMS", "right"),
    Column("STORED", "right"),
    Column("STORAGE", "right"),
    Column("ON DEMAND", "right"),
    Column("PROVISIONED", "right"),
    Column("UTILISATION", "right"),
)


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `cost`."""
    design_argument(parser)
    workload_argument(parser)
    parser.add_argument("--region", metavar="REGION", help="AWS region of the prices (default: us-east-1)")
    parser.add_argument(
        "--prices", metavar="FILE", help="JSON file with prices (default: prices of the package)"
    )
    form = parser.add_mutually_exclusive_group()
    form.add_argument(
        "--html", metavar="FILE", help="write a page on which rates can be changed, for people who decide"
    )
    parser.add_argument("--diff", metavar="MODULE:DESIGN", help="compare with another design")
    json_argument(form, "the estimate")


def run(options: argparse.Namespace) -> int:
    """Print the estimate, or the differences."""
    from tablewright.planning.cost_estimate import differences, estimate
    from tablewright.planning.cost_page import cost_page
    from tablewright.planning.prices import load_prices
    from tablewright.planning.workloads import assumed_workload, declares_rates, load_workload

    if options.html and options.diff:
        raise UsageError("--html shows one design; leave out --diff, or --html")
    names = [options.design, *([options.diff] if options.diff else [])]
    designs = [load_design(name) for name in names]
    workload = load_workload(options.workload, *designs)
    prices = load_prices(options.region, options.prices)
    assumption = ""
    if not any(declares_rates(design, workload) for design in designs):
        workload, assumption = assumed_workload(designs[0], workload)
        print(yellow(assumption), file=sys.stderr)
    now, *former = (estimate(design, workload, prices) for design in designs)
    if assumption and (options.html or options.json):
        now = replace(now, notes=(assumption, *now.notes))  # for those who do not see the terminal
    if options.html:
        write_file(options.html, cost_page(now))
        print_line(f"Wrote {options.html}; open it in a browser.")
        return 0
    changes = differences(former[0], now) if former else ()
    if options.json:
        print_json(_as_data(now) | ({"differences": _changes(changes)} if former else {}))
    elif former:
        _show_differences(former[0], now, changes)
    else:
        _show(now)
    return 0


def _show(estimate: "Estimate") -> None:
    print_line(
        f"{bold(estimate.design.name)} in {estimate.prices.region}, prices of {estimate.prices.as_of}: "
        f"{bold(_dollars(estimate.cost))} per month\n"
    )
    if estimate.lines:
        print_table(_LINE_COLUMNS, (_line(line) for line in estimate.lines))
        print_line("")
    print_table(_TABLE_COLUMNS, _tables(estimate))
    print_line(
        faint("R: read units, W: write units. Utilisation: the average share of provisioned units in use.\n")
    )
    for table in estimate.tables:
        for extra in table.extras:
            print_line(f"{table.table.name}: {extra.name}, {extra.amount}: {_dollars(extra.cost)}")
        for resource in table.short:
            needed = table.capacity[resource]
            peak = f"{needed.read:g} read and {needed.write:g} write units per second at its peak"
            print_line(yellow(f"{resource} needs {peak}, which is more than is provisioned"))
    print_line(_advice(estimate))
    for reserved in estimate.prices.standard.reserved:
        whole = sum(table.provisioned_cost or 0 for table in estimate.tables)
        cost = estimate.reserved_cost(reserved)
        if cost is not None and cost < whole:
            print_line(
                f"Provisioned, with capacity reserved for {count(reserved.years, 'year')}: {_dollars(cost)} per month "
                f"instead of {_dollars(whole)}."
            )
    for note in estimate.notes:
        print_line(faint(note))


def _line(line: "Line") -> tuple[str, ...]:
    resources = len(line.each)
    name = line.name if resources == 1 else f"{line.name} ({count(resources - 1, 'index')})"
    units = line.units * line.times
    return (
        name,
        f"{line.times:,.0f}",
        _units(line.units),
        f"{units.read + units.write:,.0f}",
        _dollars(line.cost),
    )


def _units(units: "Units") -> str:
    parts = [
        f"{round(number, 3):g} {kind}" for number, kind in ((units.read, "R"), (units.write, "W")) if number
    ]
    return " + ".join(parts) or "0"


def _tables(estimate: "Estimate") -> Iterable[tuple[str, ...]]:
    for table in estimate.tables:
        provisioned = table.provisioned_cost
        use = table.utilisation
        yield (
            table.table.name,
            f"{table.items:,.0f}",
            _bytes(table.bytes),
            _dollars(table.storage_cost),
            _dollars(table.on_demand_cost),
            "?" if provisioned is None else _dollars(provisioned),
            f"{use.read:.0%} R, {use.write:.0%} W",
        )


def _advice(estimate: "Estimate") -> str:
    """Return which tables are cheaper with provisioned capacity."""
    from tablewright.planning.cost_estimate import break_even

    even = break_even(estimate.prices.standard)
    if even is None:
        return "On demand only: the prices of provisioned capacity are not known."
    cheaper = [
        table.table.name
        for table in estimate.tables
        if table.provisioned_cost is not None and table.provisioned_cost < table.on_demand_cost
    ]
    return (
        "Provisioned capacity is cheaper for a table that uses on average more than "
        f"{even.write:.0%} of its write units and {even.read:.0%} of its read units: {', '.join(cheaper) or 'none'}."
    )


def _show_differences(before: "Estimate", after: "Estimate", changes: Sequence["CostDifference"]) -> None:
    for change in changes:
        paint = red if change.by > 0 else green
        what = f"{change.what:<8}{change.name}: {_dollars(change.before)} -> {_dollars(change.after)}"
        print_line(f"{paint(f'{_signed(change.by):>12}')}  {what}  {faint(change.why)}")
    by = after.cost - before.cost
    verdict = "costs the same" if not changes else "costs more" if by > 0 else "costs less"
    print_line(
        f"{bold(after.design.name)} {verdict}: {_dollars(before.cost)} -> {_dollars(after.cost)} per month "
        f"({_signed(by)})"
    )


def _dollars(sum_: float) -> str:
    return f"${sum_:,.2f}" if sum_ >= 10 or sum_ == 0 else f"${sum_:,.4f}"


def _signed(sum_: float) -> str:
    return f"{'-' if sum_ < 0 else '+'}{_dollars(abs(sum_))}"


def _bytes(size: float) -> str:
    for unit, factor in (("GB", 2**30), ("MB", 2**20), ("KB", 2**10)):
        if size >= factor:
            return f"{size / factor:,.1f} {unit}"
    return f"{size:,.0f} B"


def _as_data(estimate: "Estimate") -> dict[str, Any]:
    from tablewright.planning.cost_estimate import break_even

    even = break_even(estimate.prices.standard)
    return {
        "design": estimate.design.name,
        "region": estimate.prices.region,
        "prices_as_of": estimate.prices.as_of,
        "cost": estimate.cost,
        "lines": [_line_data(line) for line in estimate.lines],
        "tables": [_table_data(table) for table in estimate.tables],
        "break_even_utilisation": None if even is None else {"read": even.read, "write": even.write},
        "notes": list(estimate.notes),
    }


def _line_data(line: "Line") -> dict[str, Any]:
    resources = {
        str(resource): {"read": units.read, "write": units.write} for resource, units in line.each.items()
    }
    return {
        "name": line.name,
        "kind": line.kind,
        "table": line.table.name,
        "times": line.times,
        "units_each": resources,
        "cost": line.cost,
        "cost_if_a_request_were_a_unit": line.cost_of_requests,
    }


def _table_data(table: "TableEstimate") -> dict[str, Any]:
    return {
        "table": table.table.name,
        "items": table.items,
        "item_bytes": table.item_bytes,
        "stored_bytes": table.bytes,
        "storage_cost": table.storage_cost,
        "on_demand_cost": table.on_demand_cost,
        "provisioned_cost": table.provisioned_cost,
        "capacity": {
            str(resource): {"read": u.read, "write": u.write} for resource, u in table.capacity.items()
        },
        "utilisation": {"read": table.utilisation.read, "write": table.utilisation.write},
        "extras": [
            {"name": extra.name, "amount": extra.amount, "cost": extra.cost} for extra in table.extras
        ],
        "cost": table.cost,
    }


def _changes(changes: Sequence["CostDifference"]) -> list[dict[str, Any]]:
    return [
        {
            "what": change.what,
            "name": change.name,
            "before": change.before,
            "after": change.after,
            "by": change.by,
            "why": change.why,
        }
        for change in changes
    ]
