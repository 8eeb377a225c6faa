"""Capacity units: what a read or a write of so many bytes costs.

Metering and planning both count with these three functions, so they cannot disagree.
"""

READ_UNIT = 4096
WRITE_UNIT = 1024


def read_units(size: int, *, consistent: bool, transactional: bool = False) -> float:
    """Units to read `size` bytes: one per 4 KB begun; half when eventually consistent; double in a transaction.

    >>> read_units(0, consistent=True), read_units(4097, consistent=False)
    (1.0, 1.0)
    """
    units = max(1, -(-size // READ_UNIT))
    if transactional:
        return 2.0 * units
    return float(units) if consistent else units / 2


def write_units(size: int, *, transactional: bool = False) -> float:
    """Units to write `size` bytes: one per 1 KB begun; double in a transaction.

    >>> write_units(1024), write_units(1025), write_units(1, transactional=True)
    (1.0, 2.0, 2.0)
    """
    units = max(1, -(-size // WRITE_UNIT))
    return float(2 * units if transactional else units)
