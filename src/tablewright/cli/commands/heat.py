"""Simulate the partitions of a design under its workload, and draw which keys throttle as users come. Nothing is run.

It exits with code 1 when something throttles for good with the fewest users that were asked about.
"""

import argparse
import json
from typing import TYPE_CHECKING, Any

from tablewright.cli.arguments import design_argument, load_design
from tablewright.cli.output import bold, faint, green, red, say, yellow
from tablewright.errors import UsageError

if TYPE_CHECKING:
    from tablewright.planning.capacity_demand import Units
    from tablewright.planning.partition_heat import Heat
    from tablewright.planning.partition_simulation import Key

NAME = "heat"
SUMMARY = "say which keys of a design throttle, with more and more users"
EPILOG = """\
examples:
  tablewright heat shop.design:design                            as declared, with 10 and with 1,000 times the users
  tablewright heat shop.design:design --workload month.json --users 1,50
  tablewright heat shop.design:design --json | jq '.[].places[] | select(.verdict == "throttles")'
"""

_WIDTH = 20
_SHOWN = 3
_VERDICTS = {
    "cool": (green, "fine"),
    "settles": (yellow, "throttles until it has split"),
    "throttles": (red, "throttles"),
}


def arguments(parser: argparse.ArgumentParser) -> None:
    """What `heat` understands."""
    design_argument(parser)
    parser.add_argument("--workload", metavar="FILE", help="how often, how much, how large (as declared)")
    parser.add_argument("--users", metavar="N,N,...", default="1,10,1000", help="times the users (1,10,1000)")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="the chance of it (1)")
    parser.add_argument("--json", action="store_true", help="print it as JSON")


def run(options: argparse.Namespace) -> int:
    """Draw the heat."""
    from tablewright.planning.partition_heat import heat_of
    from tablewright.planning.workloads import load_workload

    factors = _factors(options.users)
    design = load_design(options.design)
    workload = load_workload(options.workload, design)
    found = {factor: heat_of(design, workload, factor, options.seed) for factor in factors}
    if not any(found.values()):
        raise UsageError(
            f"{design.name} declares no rates, so there is no heat; give them with --workload FILE"
        )
    if options.json:
        say(json.dumps([_as_data(factor, places) for factor, places in found.items()], indent=2))
    else:
        for factor, places in found.items():
            _show(design.name, factor, places)
    return 1 if any(place.verdict == "throttles" for place in found[min(factors)]) else 0


def _factors(text: str) -> list[float]:
    try:
        factors = [float(part) for part in text.split(",")]
    except ValueError:
        raise UsageError(f"--users {text} is no list of numbers; write --users 1,10,1000") from None
    if any(not 0 < factor < 1e9 for factor in factors):
        raise UsageError(f"--users {text}: each is a number above 0, and below a thousand million")
    return factors


def _show(name: str, factor: float, places: list["Heat"]) -> None:
    say(bold(f"{name} with {factor:,g} times the users"))
    width = max(len(str(place.place)) for place in places)
    for place in sorted(places, key=lambda place: -place.run.throttled):
        paint, words = _VERDICTS[place.verdict]
        told = f"{words}: {place.run.throttled:.0%} refused" if place.verdict == "throttles" else words
        said = f"{_units(place.units):>24}  {_counted(place.run.partitions)}  {paint(told)}"
        say(f"  {place.place!s:<{width}}  {said}")
        if place.over_quota:
            say(yellow("      over 40,000 units a second: AWS must be asked to raise the quota of the table"))
        if place.verdict != "cool":
            _show_keys(place)
    say("")


def _show_keys(place: "Heat") -> None:
    from tablewright.planning.partition_simulation import MOST

    shown = (place.hot or tuple(place.run.keys))[:_SHOWN]
    width = max((len(_key(key)) for key in shown), default=0)
    for key in shown:
        share = max(key.units.read / MOST.read, key.units.write / MOST.write)
        filled = min(_WIDTH, round(share * _WIDTH))
        bar = "█" * filled + "░" * (_WIDTH - filled) + (f" {share:,.1f} x a partition" if share > 1 else "")
        refused = f", {key.throttled:.0%} refused" if key.throttled else ""
        paint = red if key.throttled else yellow
        say(f"      {_key(key):<{width}}  {paint(bar)}  {_units(key.units)}{refused}")
    more = len(place.hot) - len(shown)
    if more > 0:
        say(faint(f"      and {more} more keys"))
    if place.hot and place.place.index is not None:
        say(faint("      what an index refuses, its table refuses as well"))


def _key(key: "Key") -> str:
    return f"{key.name} ({key.rank}.)" if "{" in key.name else key.name


def _units(units: "Units") -> str:
    parts = [
        f"{_rounded(count)} {what}/s" for count, what in ((units.read, "R"), (units.write, "W")) if count
    ]
    return " + ".join(parts) or "0"


def _rounded(count: float) -> str:
    return f"{count:,.0f}" if count >= 100 else f"{count:.3g}"


def _counted(count: int) -> str:
    return f"{count:,} partition{'' if count == 1 else 's'}"


def _as_data(factor: float, places: list["Heat"]) -> dict[str, Any]:
    return {"users": factor, "places": [_place_data(place) for place in places]}


def _place_data(place: "Heat") -> dict[str, Any]:
    return {
        "place": str(place.place),
        "verdict": place.verdict,
        "read": place.units.read,
        "write": place.units.write,
        "partitions": place.run.partitions,
        "splits": place.run.splits,
        "throttled_at_first": place.run.throttled_at_first,
        "throttled": place.run.throttled,
        "over_quota": place.over_quota,
        "keys": [
            {
                "key": key.name,
                "rank": key.rank,
                "read": key.units.read,
                "write": key.units.write,
                "throttled": key.throttled,
            }
            for key in place.run.keys[:10]
        ],
    }
