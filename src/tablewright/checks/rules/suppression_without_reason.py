"""A suppression says why.

    suppress={"TW401:AuditEntry": "two writes a minute, for ever"}

Whoever reads the design next year has to know whether the reason still holds. A suppression without a reason silences
nothing.
"""

from collections.abc import Iterator, Mapping

from tablewright.checks.findings import Finding
from tablewright.checks.suppressions import Suppression

CODE = "TW001"
TITLE = "Suppression without a reason"


def review(matched: Mapping[Suppression, list[Finding]]) -> Iterator[Finding]:
    """Those whose reason is empty."""
    for suppression in matched:
        if not suppression.reason.strip():
            yield Finding(
                CODE,
                "warning",
                suppression.where or suppression.code,
                f"{suppression.key} is suppressed without a reason, so it is not",
                f'write why it is meant: suppress={{"{suppression.key}": "because ..."}}',
                suppression.subject,
            )
