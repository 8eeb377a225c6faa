"""Proofs of the access patterns and flows of the documents, and how they are run."""
