"""The mistakes are checked, not run: pytest does not look for doctests in them."""

collect_ignore = ["mistakes.py"]
