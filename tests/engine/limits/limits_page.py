"""docs/reference/limits.md, written from the limits that the tests send."""

from collections.abc import Iterator

from tests.engine.limits.all_limits import LIMITS
from tests.engine.limits.limit import Limit

HEAD = """\
# Limits

Every limit of AWS that Tablewright enforces, with AWS's errors, in the process and over HTTP. A request at the limit is
accepted; one byte, character or element beyond it is rejected, or the reply is cut. 1 KB is 1,024 bytes. This page is
written from the [tests](../architecture/guarantees.md) that send these requests.

The lengths, ranges, patterns and choices of all other members of requests are those of AWS's service model; a test
sends each of them too. [The wire protocol](wire.md#limits) has the limits of the server itself.
"""

NOT_ENFORCED = (
    ("tables of an account and region", "2,500", "adjustable on AWS; 10,000 tables are tested"),
    ("capacity units of an account", "80,000", "adjustable on AWS; DescribeLimits shows it"),
    (
        "requests of a partition",
        "3,000 read units and 1,000 write units a second",
        "requests are throttled only on request: [faults](../how-to/inject-faults.md)",
    ),
    ("tables and indexes being created or deleted at once", "500", "they are ready at once"),
    ("readers of a shard", "2", ""),
)


def page() -> str:
    topics = dict.fromkeys(limit.topic for limit in LIMITS)
    return HEAD + "".join(map(_section, topics)) + _not_enforced()


def _section(topic: str) -> str:
    rows = "\n".join(_rows(topic))
    return f"\n## {topic}\n\n| limit | values | beyond it |\n|---|---|---|\n{rows}\n"


def _rows(topic: str) -> Iterator[str]:
    for limit in LIMITS:
        if limit.topic == topic:
            yield f"| {limit.name} | {limit.values} | {_beyond(limit)} |"


def _beyond(limit: Limit) -> str:
    if limit.cuts:
        return "the reply is cut"
    messages = dict.fromkeys(message for message in (limit.below, limit.above) if message)
    return f"`{limit.code}`: " + "; ".join(messages)


def _not_enforced() -> str:
    rows = "\n".join(f"| {quota} | {value} | {reason} |" for quota, value, reason in NOT_ENFORCED)
    return f"\n## Quotas that are not enforced\n\n| quota of AWS | value | reason |\n|---|---|---|\n{rows}\n"
