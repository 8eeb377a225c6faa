"""Proofs of the access patterns and flows of the documents, and how they are run.

from tablewright_systems.verification import ProofContext, Proofs, expect_error
"""

from tablewright_systems.verification.proofs import Measurement, Proof, ProofContext, Proofs
from tablewright_systems.verification.raw_rows import attribute, call_raw, put_row
from tablewright_systems.verification.rejections import expect_error

__all__ = [
    "Measurement",
    "Proof",
    "ProofContext",
    "Proofs",
    "attribute",
    "call_raw",
    "expect_error",
    "put_row",
]
