"""Generate: what follows from a design, as text for others: infrastructure, policies, documentation, samples."""
