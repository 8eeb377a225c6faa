"""Generate documentation, infrastructure code, IAM policies, a diagram or sample data from a design.

The output goes to standard output, or to a file with --output.
"""

import argparse
import json
from collections.abc import Callable
from typing import TYPE_CHECKING

from tablewright.cli.arguments import design_argument
from tablewright.cli.data_locations import load_design
from tablewright.cli.output import print_line
from tablewright.errors import UsageError

if TYPE_CHECKING:
    from tablewright.design.designs import Design

NAME = "generate"
SUMMARY = "generate docs, infrastructure code, policies or sample data"
EPILOG = """\
examples:
  tablewright generate docs shop.design:design --html --output shop.html
  tablewright generate cloudformation shop.design:design > tables.json
  tablewright generate terraform shop.design:design --output tables.tf
  tablewright generate iam shop.design:design --region eu-north-1 --account 123456789012 --env main \\
      --only BasketOf --only Basket --tenant user_id
  tablewright generate samples shop.design:design --count 100 --seed 7
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `generate`."""
    parser.add_argument(
        "what", choices=tuple(_GENERATORS), metavar="WHAT", help=f"one of: {', '.join(_GENERATORS)}"
    )
    design_argument(parser)
    parser.add_argument("--output", metavar="FILE", help="write to this file (default: standard output)")
    parser.add_argument(
        "--html", action="store_true", help="docs: write one HTML page with diagrams instead of Markdown"
    )
    parser.add_argument("--env", metavar="ENV", help="iam, samples: value of {env} in table names")
    policies = parser.add_argument_group("iam")
    policies.add_argument("--region", help="AWS region of the tables")
    policies.add_argument("--account", help="AWS account ID")
    policies.add_argument("--prefix", metavar="TEXT", default="", help="prefix of all table names")
    policies.add_argument(
        "--only",
        metavar="NAME",
        action="append",
        default=[],
        help="pattern that the role runs, or entity that it writes; may be repeated (default: all)",
    )
    policies.add_argument(
        "--tenant",
        metavar="FIELD",
        help="restrict access to partition keys with the value of this principal tag",
    )
    policies.add_argument(
        "--may-shred", action="store_true", help="allow the role to delete the keys of a tenant"
    )
    samples = parser.add_argument_group("samples")
    samples.add_argument("--count", metavar="N", type=int, default=10, help="items per entity (default: 10)")
    samples.add_argument("--seed", metavar="N", type=int, default=1, help="random seed (default: 1)")


def run(options: argparse.Namespace) -> int:
    """Generate the text, and write it."""
    text = _GENERATORS[options.what](load_design(options.design), options)
    if options.output is None:
        print_line(text.rstrip("\n"))
        return 0
    from pathlib import Path

    try:
        Path(options.output).write_text(text)
    except OSError as error:
        raise UsageError(f"{options.output} cannot be written: {error.strerror}") from None
    return 0


def _docs(design: "Design", options: argparse.Namespace) -> str:
    from tablewright.generate.html import html
    from tablewright.generate.markdown import markdown

    return html(design) if options.html else markdown(design)


def _cloudformation(design: "Design", options: argparse.Namespace) -> str:
    from tablewright.generate.cloudformation import cloudformation

    return cloudformation(design)


def _terraform(design: "Design", options: argparse.Namespace) -> str:
    from tablewright.generate.terraform import terraform

    return terraform(design)


def _cdk(design: "Design", options: argparse.Namespace) -> str:
    from tablewright.generate.cdk import cdk

    return cdk(design)


def _iam(design: "Design", options: argparse.Namespace) -> str:
    from tablewright.generate.iam import TableArns, members_of, policy

    if options.region is None or options.account is None:
        raise UsageError("a policy contains the ARNs of its tables; give --region and --account")
    arns = TableArns(options.region, options.account, options.env, options.prefix)
    members = members_of(design, options.only)
    made = policy(design, arns, members, options.tenant, may_shred=options.may_shred)
    return json.dumps(made, indent=2) + "\n"


def _diagram(design: "Design", options: argparse.Namespace) -> str:
    from tablewright.generate.diagrams import mermaid

    return mermaid(design)


def _samples(design: "Design", options: argparse.Namespace) -> str:
    from tablewright.generate.sample_data import samples

    return samples(design, options.count, options.seed, options.env or "dev")


_GENERATORS: "dict[str, Callable[[Design, argparse.Namespace], str]]" = {
    "docs": _docs,
    "cloudformation": _cloudformation,
    "terraform": _terraform,
    "cdk": _cdk,
    "iam": _iam,
    "diagram": _diagram,
    "samples": _samples,
}
