"""Generate documentation, infrastructure code, IAM policies, a diagram or sample data from a design.

The output goes to standard output, or to a file with --output. Sample data can also be written to tables that exist,
with --on.
"""

import argparse
import json
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from tablewright.cli.arguments import design_argument, keys_argument, location_argument, timestamp
from tablewright.cli.data_locations import load_design, open_deployed
from tablewright.cli.output import count, green, print_line, write_file, yellow
from tablewright.errors import UsageError

if TYPE_CHECKING:
    from datetime import datetime

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
  tablewright generate diagram shop.design:design --svg --table shop --output shop.svg
  tablewright generate samples shop.design:design --count 100 --seed 7
  tablewright generate samples shop.design:design --on shop.db
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
    diagrams = parser.add_argument_group("diagram")
    diagrams.add_argument(
        "--svg", action="store_true", help="write an SVG image of one table instead of Mermaid"
    )
    diagrams.add_argument(
        "--table", metavar="NAME", help="table of the image, as the design names it (default: the only table)"
    )
    parser.add_argument("--env", metavar="ENV", help="iam, samples: value of {env} in table names")
    parser.add_argument("--prefix", metavar="TEXT", default="", help="prefix of all table names")
    _policy_arguments(parser)
    samples = parser.add_argument_group("samples")
    samples.add_argument("--count", metavar="N", type=int, default=10, help="items per entity (default: 10)")
    samples.add_argument("--seed", metavar="N", type=int, default=1, help="random seed (default: 1)")
    samples.add_argument(
        "--now", metavar="TIME", type=timestamp, help="time that the samples are relative to (default: now)"
    )
    location_argument(
        parser,
        default=None,
        summary="samples: write them to this location: FILE, http://HOST:PORT or aws:REGION (default: print them)",
    )
    keys_argument(parser)


def _policy_arguments(parser: argparse.ArgumentParser) -> None:
    policies = parser.add_argument_group("iam")
    policies.add_argument("--region", help="AWS region of the tables")
    policies.add_argument("--account", help="AWS account ID")
    policies.add_argument(
        "--role",
        choices=("service", "stream-consumer", "operator", "read-only"),
        default="service",
        help="role to write policies for (default: service)",
    )
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
        "--shared",
        metavar="NAME",
        action="append",
        default=[],
        help="pattern or entity that all tenants share; may be repeated",
    )
    policies.add_argument(
        "--may-shred", action="store_true", help="allow the role to delete the keys of a tenant"
    )
    policies.add_argument("--kms-key", metavar="ARN", help="master key of the secret fields, in KMS")
    policies.add_argument("--bucket", metavar="NAME", help="operator: S3 bucket of exports and imports")


def run(options: argparse.Namespace) -> int:
    """Generate the text, and write it."""
    if options.on is not None:
        return _write_samples(options)
    text = _GENERATORS[options.what](load_design(options.design), options)
    if options.output is None:
        print_line(text.rstrip("\n"))
        return 0
    write_file(options.output, text)
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
    from tablewright.generate.iam.grants import MOST_CHARACTERS, MOST_POLICIES, TableArns
    from tablewright.generate.iam.role_policies import Role, role_notes, role_policies

    if options.region is None or options.account is None:
        raise UsageError("a policy contains the ARNs of its tables; give --region and --account")
    role = Role(
        options.role,
        options.only,
        options.tenant,
        options.shared,
        options.may_shred,
        options.kms_key,
        options.bucket,
    )
    arns = TableArns(options.region, options.account, options.env, options.prefix)
    policies = role_policies(design, arns, role)
    for note in role_notes(design, arns, role):
        _note(note)
    if len(policies) > 1:
        limit = f"a policy has at most {MOST_CHARACTERS} characters"
        _note(f"{limit}, so this is a list of {len(policies)} policies; attach all to the role")
    if len(policies) > MOST_POLICIES:
        _note(f"AWS allows {MOST_POLICIES} policies for a role, unless you raise the quota")
    return json.dumps(policies if len(policies) > 1 else policies[0], indent=2) + "\n"


def _note(text: str) -> None:
    """Print a note that is no part of the output."""
    print(f"note: {text}", file=sys.stderr)


def _diagram(design: "Design", options: argparse.Namespace) -> str:
    from tablewright.generate.diagrams.mermaid import mermaid
    from tablewright.generate.diagrams.svg import svg

    if not options.svg:
        return mermaid(design)
    tables = {table.name: table for table in design.tables}
    if options.table is None and len(tables) == 1:
        (options.table,) = tables
    if options.table not in tables:
        problem = "give" if options.table is None else f"{design.name} has no table {options.table}; give"
        raise UsageError(f"an SVG image shows one table; {problem} --table with one of: {', '.join(tables)}")
    return svg(design, tables[options.table]) + "\n"


def _samples(design: "Design", options: argparse.Namespace) -> str:
    from tablewright.generate.samples.sample_data import samples

    return samples(design, options.count, options.seed, options.env or "dev", _now(options))


def _now(options: argparse.Namespace) -> "datetime | None":
    from datetime import UTC, datetime

    return None if options.now is None else datetime.fromtimestamp(options.now, UTC)


def _write_samples(options: argparse.Namespace) -> int:
    """Write samples through the typed API; entities that exist are left alone."""
    from tablewright.generate.samples.sample_data import sample_data

    if options.what != "samples":
        raise UsageError(f"--on is for samples; generate {options.what} writes no data")
    if options.output is not None:
        raise UsageError("--on writes to tables and --output to a file; give one of them")
    with open_deployed(options) as db:
        samples = sample_data(db.design, options.count, options.seed, _now(options))
        written = samples.write(db)
    existing = len(samples.entities) - written
    print_line(green(f"Wrote {count(written, 'sample')} to {options.on}."))
    if existing:
        print_line(yellow(f"{count(existing, 'sample')} existed already; give another --seed for others."))
    for sample in samples.requests:
        if sample.request is None:
            print_line(yellow(f"note: {sample.plan.name} finds no sample: {sample.problem}"))
    return 0


_GENERATORS: "dict[str, Callable[[Design, argparse.Namespace], str]]" = {
    "docs": _docs,
    "cloudformation": _cloudformation,
    "terraform": _terraform,
    "cdk": _cdk,
    "iam": _iam,
    "diagram": _diagram,
    "samples": _samples,
}
