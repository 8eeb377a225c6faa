"""`make mutants`: seeded faults of the five systems, each of which `verify` or a named test must catch.

A mutation replaces one text of one file: it removes a check of a role, keeps what must expire, lifts a limit, leaves
out a deletion. Each system has a list, `systems/tests/mutants/SYSTEM.py`. To add a mutation:

1. Choose a line that no user may lose, with enough text around it to occur once in its file.
2. Add a `Mutation` to the list of the system: label (what the mutated system does wrong), file, text before and after.
3. Run `python -m systems.tests.mutants SYSTEM -k LABEL`. If it survives, strengthen the proof of the flow. Where a
   proof cannot show the fault (HTTP, races, faults of the store), write a test and name it in `tests=`.

`python -m systems.tests.mutants.discover SYSTEM` lists the checks of a system that no proof needs.
"""
