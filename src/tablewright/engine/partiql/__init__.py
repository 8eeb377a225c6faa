"""PartiQL: statements, as the reads and writes they stand for."""
