"""A suppression silences something.

One that matches no finding was misspelt, or what it excused has been repaired. Left in place it would silence the next
fault of its kind.
"""

from collections.abc import Iterator, Mapping

from tablewright.checks.findings import Finding
from tablewright.checks.suppressions import Suppression

CODE = "TW002"
TITLE = "Suppression of nothing"


def review(matched: Mapping[Suppression, list[Finding]]) -> Iterator[Finding]:
    """Those that match no finding."""
    for suppression, findings in matched.items():
        if not findings:
            yield Finding(
                CODE,
                "warning",
                suppression.where or suppression.code,
                f"nothing is found that {suppression.key} could suppress",
                "remove it, or correct its code or its place",
                suppression.subject,
            )
