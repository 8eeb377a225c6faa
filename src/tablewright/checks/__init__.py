"""Checks: what a design will suffer from, found by reading it. Nothing is run.

A rule is a file in `rules`: CODE, TITLE, a docstring that is its page in the manual, and `check(design)`, which yields
findings. A rule about suppressions has `review(suppressions)` instead.
"""
