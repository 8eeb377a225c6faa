"""A suppression has no reason.

    suppress={"TW401:AuditEntry": "two writes a minute, permanently"}

Later readers of the design must be able to judge whether the reason is still valid. A suppression without a reason has
no effect.
"""

from collections.abc import Iterator, Mapping

from tablewright.checks.findings import Finding, Suppression

CODE = "TW001"
TITLE = "Suppression without a reason"


def review(matched: Mapping[Suppression, list[Finding]]) -> Iterator[Finding]:
    """Suppressions with an empty reason."""
    for suppression in matched:
        if not suppression.reason.strip():
            yield Finding(
                CODE,
                "warning",
                suppression.where or suppression.code,
                f"{suppression.key} is suppressed without a reason; the suppression has no effect",
                f'add the reason: suppress={{"{suppression.key}": "because ..."}}',
                suppression.subject,
            )
