"""A suppression matches no finding.

Its code or place is misspelt, or the problem has been fixed. If it stays in the design, it hides the next problem of
the same kind.
"""

from collections.abc import Iterator, Mapping

from tablewright.checks.findings import Finding, Suppression

CODE = "TW002"
TITLE = "Unused suppression"


def review(matched: Mapping[Suppression, list[Finding]]) -> Iterator[Finding]:
    """Suppressions that match no finding."""
    for suppression, findings in matched.items():
        if not findings:
            yield Finding(
                CODE,
                "warning",
                suppression.where or suppression.code,
                f"{suppression.key} suppresses nothing: there is no such finding",
                "remove it, or correct its code or its place",
                suppression.subject,
            )
