"""The proofs of Student Hub: one for every access pattern and flow of its document."""

from tablewright_systems.student_hub.proofs import administration, deadlines, operations, profiles
from tablewright_systems.verification import Proofs

PROOFS = Proofs("student_hub")
for _part in (profiles, deadlines, administration, operations):
    PROOFS.include(_part.PROOFS)
