"""Diagrams: which entities share the partitions of a table and of its indexes, as SVG and as Mermaid."""
