"""Checks: find problems of a design by reading it. Nothing is run.

A rule is a module in `rules`, named after its code: CODE, TITLE, a docstring that is its page in the manual, and
`check(design)`, which yields findings. A rule about suppressions has `review(suppressions)` instead.
"""
