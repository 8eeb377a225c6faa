"""One proof for every access pattern and every flow of the document, by area."""

from tablewright_systems.collabhub.proofs import (
    access,
    applications,
    audit,
    conversations,
    notifications,
    retention_and_copies,
    startups,
    subscriptions,
    users,
)
from tablewright_systems.verification import Proofs

PROOFS = Proofs("collabhub")
for _area in (
    users,
    startups,
    applications,
    access,
    conversations,
    subscriptions,
    audit,
    notifications,
    retention_and_copies,
):
    PROOFS.include(_area.PROOFS)
