"""Proofs of the access patterns and flows of the systems, and how they are run.

from tablewright_systems.verification import ProofContext, Proofs, expect_error
"""

from tablewright_systems.verification.proofs import Measurement, Proof, ProofContext, Proofs
from tablewright_systems.verification.raw_rows import attribute, change_row, put_row
from tablewright_systems.verification.rejections import expect_error

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
