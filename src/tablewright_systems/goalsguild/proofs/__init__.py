"""A proof for every access pattern and every flow of document 003."""

from tablewright_systems.goalsguild.proofs import flows, patterns
from tablewright_systems.verification.proofs import Proofs

PROOFS = Proofs("goalsguild")
PROOFS.include(patterns.PROOFS)
PROOFS.include(flows.PROOFS)
