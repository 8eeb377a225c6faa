"""Frequent thread switches: they make threads of one test meet, however short their work is."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def frequent_thread_switches() -> Iterator[None]:
    """Let threads take turns after a microsecond instead of the usual five milliseconds."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        yield
    finally:
        sys.setswitchinterval(before)
