"""One proof for every access pattern (A) and every flow (F) of Boards."""

from tablewright_systems.boards.proofs import flows, patterns
from tablewright_systems.verification import Proofs

PROOFS = Proofs("boards")
PROOFS.include(patterns.PROOFS)
PROOFS.include(flows.PROOFS)
