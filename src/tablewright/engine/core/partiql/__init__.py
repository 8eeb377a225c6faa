"""PartiQL: statements, converted to reads and writes."""
