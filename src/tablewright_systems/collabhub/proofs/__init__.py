"""One proof for every access pattern and every flow of the document, by area."""

from tablewright_systems.collabhub.proofs import (
    access,
    applications,
    conversations,
    people,
    records,
    startups,
    subscriptions,
)
from tablewright_systems.proofs import Proofs

PROOFS = Proofs("collabhub")
for _area in (people, startups, applications, access, conversations, subscriptions, records):
    PROOFS.include(_area.PROOFS)
