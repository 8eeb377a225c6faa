"""The proofs of Student Hub: one for every access pattern and flow of its document."""

from tablewright_systems.student_hub.proofs import (
    administration,
    deadlines,
    feedback,
    operations,
    profiles,
    progress,
    troubleshooting,
)
from tablewright_systems.verification import Proofs

PROOFS = Proofs("student_hub")
for _part in (profiles, progress, deadlines, feedback, administration, operations, troubleshooting):
    PROOFS.include(_part.PROOFS)
