"""Proofs of the access patterns and flows of the systems, and how they are run.

from tablewright_systems.verification import ProofContext, Proofs, expect_error
"""

from tablewright_systems.verification.proofs import (
    Measurement,
    Proof,
    ProofContext,
    Proofs,
    attribute,
    change_row,
    expect_error,
    put_row,
)

__all__ = [
    "Measurement",
    "Proof",
    "ProofContext",
    "Proofs",
    "attribute",
    "change_row",
    "expect_error",
    "put_row",
]
