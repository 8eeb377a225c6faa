"""Runs the proofs of one system in memory; `python -m systems.tests.mutants.proof_process SYSTEM`.

Prints the number of the first proof that fails and exits with 3, or exits with 0. Exits with another code if the code
does not work at all: a mutation with a misspelt name is no fault that a proof has caught. Python itself exits with 1 if
a module cannot be imported.
"""

import sys

from tablewright_systems.registry import find
from tablewright_systems.verification.proof_runner import proof_context, verify

CAUGHT, BROKEN = 3, 2
_NOT_A_FAULT = ("NameError:", "ImportError:", "ModuleNotFoundError:", "UnboundLocalError:", "SyntaxError:")


def main(name: str) -> int:
    """Run the proofs until one fails."""
    system = find(name)
    assert system is not None, f"there is no system {name}"
    with proof_context(system) as context:
        for proof in system.proofs:
            failure = verify(system, context, proof).failure
            if failure is not None:
                print(proof.number, failure)
                return BROKEN if failure.startswith(_NOT_A_FAULT) else CAUGHT
    return 0


if __name__ == "__main__":
    try:
        code = main(sys.argv[1])
    except Exception as error:
        print(f"{type(error).__name__}: {error}")
        code = BROKEN
    sys.exit(code)
