"""Simulate the partitions of a design under its workload, and show which keys throttle as the number of users grows.

Nothing is run. The exit code is 1 if a key throttles permanently with the smallest number of users.
"""

import argparse
import sys
from typing import TYPE_CHECKING, Any

from tablewright.cli.arguments import design_argument, json_argument, workload_argument
from tablewright.cli.data_locations import load_design
from tablewright.cli.output import bold, count, faint, green, print_json, print_line, red, yellow
from tablewright.errors import UsageError

if TYPE_CHECKING:
    from tablewright.planning.capacity_demand import Units
    from tablewright.planning.partition_heat import Heat
    from tablewright.planning.partition_simulation import Key

NAME = "heat"
SUMMARY = "show which keys of a design throttle under load"
EPILOG = """\
examples:
  tablewright heat shop.design:design                            simulate 1, 10 and 1,000 times the users
  tablewright heat shop.design:design --workload month.json --users 1,50
  tablewright heat shop.design:design --json | jq '.[].resources[] | select(.verdict == "throttles")'
"""

_WIDTH = 20
_SHOWN = 3
_VERDICTS = {
    "cool": (green, "ok"),
    "settles": (yellow, "throttles until the partition has split"),
    "throttles": (red, "throttles"),
}


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `heat`."""
    design_argument(parser)
    workload_argument(parser)
    parser.add_argument(
        "--users",
        metavar="N,N,...",
        default="1,10,1000",
        help="multiples of the declared users to simulate (default: 1,10,1000)",
    )
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="random seed (default: 1)")
    json_argument(parser, "the simulation")


def run(options: argparse.Namespace) -> int:
    """Print the simulation."""
    from tablewright.planning.partition_heat import heat_of
    from tablewright.planning.workloads import assumed_workload, declares_rates, load_workload

    factors = _factors(options.users)
    design = load_design(options.design)
    workload = load_workload(options.workload, design)
    if not declares_rates(design, workload):
        workload, assumption = assumed_workload(design, workload)
        print(yellow(assumption), file=sys.stderr)
    heats_by_factor = {factor: heat_of(design, workload, factor, options.seed) for factor in factors}
    if not any(heats_by_factor.values()):
        raise UsageError(
            f"design {design.name} has no patterns and no entities, so there is nothing to simulate"
        )
    if options.json:
        print_json([_as_data(factor, heats) for factor, heats in heats_by_factor.items()])
    else:
        for factor, heats in heats_by_factor.items():
            _show(design.name, factor, heats)
        _show_legend([heat for heats in heats_by_factor.values() for heat in heats])
    return 1 if any(heat.verdict == "throttles" for heat in heats_by_factor[min(factors)]) else 0


def _factors(text: str) -> list[float]:
    try:
        factors = [float(part) for part in text.split(",")]
    except ValueError:
        raise UsageError(f"--users must be a list of numbers such as 1,10,1000, got {text}") from None
    if any(not 0 < factor < 1e9 for factor in factors):
        raise UsageError(f"--users must be numbers above 0 and below 1,000,000,000, got {text}")
    return factors


def _show(name: str, factor: float, heats: list["Heat"]) -> None:
    print_line(bold(f"{name} with {factor:,g} x the users"))
    width = max(len(str(heat.resource)) for heat in heats)
    for heat in sorted(heats, key=lambda heat: -heat.run.throttled):
        paint, words = _VERDICTS[heat.verdict]
        verdict = f"{words}: {heat.run.throttled:.0%} rejected" if heat.verdict == "throttles" else words
        load = f"{_units(heat.units):>24}  {count(heat.run.partitions, 'partition')}"
        print_line(f"  {heat.resource!s:<{width}}  {load}  {paint(verdict)}")
        if heat.over_quota:
            print_line(
                yellow("      more than 40,000 units per second: request a higher table quota from AWS")
            )
        if heat.verdict != "cool":
            _show_keys(heat)
    print_line("")


def _show_keys(heat: "Heat") -> None:
    from tablewright.planning.partition_simulation import PARTITION_LIMIT

    shown = (heat.hot or tuple(heat.run.keys))[:_SHOWN]
    width = max((len(_key(key)) for key in shown), default=0)
    for key in shown:
        share = max(key.units.read / PARTITION_LIMIT.read, key.units.write / PARTITION_LIMIT.write)
        filled = min(_WIDTH, round(share * _WIDTH))
        bar = (
            "█" * filled
            + "░" * (_WIDTH - filled)
            + (f" {share:,.1f} x the limit of a partition" if share > 1 else "")
        )
        rejected = f", {key.throttled:.0%} rejected" if key.throttled else ""
        paint = red if key.throttled else yellow
        print_line(f"      {_key(key):<{width}}  {paint(bar)}  {_units(key.units)}{rejected}")
    more = len(heat.hot) - len(shown)
    if more > 0:
        print_line(faint(f"      and {more:,} more"))
    if heat.hot and heat.resource.index is not None:
        print_line(faint("      a write that an index throttles is throttled on its table too"))


def _show_legend(heats: list["Heat"]) -> None:
    from tablewright.planning.partition_simulation import PARTITION_LIMIT

    limit = f"{PARTITION_LIMIT.read:,} R/s and {PARTITION_LIMIT.write:,} W/s"
    print_line(faint(f"R/s, W/s: read and write units in the busiest second. A partition supports {limit}."))
    if any(heat.verdict != "cool" for heat in heats):
        print_line(faint("(1.), (2.): the key values that are requested most."))
    if any(heat.hot for heat in heats):
        shard = "STATUS#{status}#{order_id:shard(16)}"
        print_line(faint(f"To fix a key that throttles, add a shard to it ({shard}), and read every shard."))


def _key(key: "Key") -> str:
    return f"{key.name} ({key.rank}.)" if "{" in key.name else key.name


def _units(units: "Units") -> str:
    parts = [
        f"{_rounded(number)} {kind}/s" for number, kind in ((units.read, "R"), (units.write, "W")) if number
    ]
    return " + ".join(parts) or "0"


def _rounded(number: float) -> str:
    return f"{number:,.0f}" if number >= 100 else f"{number:.3g}"


def _as_data(factor: float, heats: list["Heat"]) -> dict[str, Any]:
    return {"users": factor, "resources": [_heat_data(heat) for heat in heats]}


def _heat_data(heat: "Heat") -> dict[str, Any]:
    return {
        "resource": str(heat.resource),
        **heat.figures(),
        "keys": [
            {
                "key": key.name,
                "rank": key.rank,
                "read": key.units.read,
                "write": key.units.write,
                "throttled": key.throttled,
            }
            for key in heat.run.keys[:10]
        ],
    }
