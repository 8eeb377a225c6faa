"""The flows of Student Hub, by area: what a student, a worker that sends mail, and an administrator can do.

Functions take the repository and whoever calls; what a caller may see and change is decided here.
"""

TRIES = 5
"""How often a flow looks again when others were faster."""
