"""One proof for every access pattern and every flow of the document, by area."""

from tablewright_systems.collabhub.proofs import (
    access,
    audit,
    conversations,
    retention_and_copies,
    startups,
    users,
)
from tablewright_systems.verification import Proofs

PROOFS = Proofs("collabhub")
for _area in (users, startups, access, conversations, audit, retention_and_copies):
    PROOFS.include(_area.PROOFS)
