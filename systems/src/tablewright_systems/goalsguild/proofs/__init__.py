"""A proof for every access pattern and every flow of GoalsGuild."""

from tablewright_systems.goalsguild.proofs import flows, logins, older_rows, patterns
from tablewright_systems.verification import Proofs

PROOFS = Proofs("goalsguild")
for part in (patterns, flows, logins, older_rows):
    PROOFS.include(part.PROOFS)
