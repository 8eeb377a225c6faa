"""Row checksums: a CRC-32 of key, size and body, stored with the size of each row and verified whenever it is read.

    size column = crc32(4 bytes) size(31 bits)

One integer, because each further column costs more time to read than the checksum itself. The CRC begins with the size
as its start value and continues over the key, which begins with the number of the space, and the body. So a changed bit
in any of them is always found, and nothing is copied to compute it.
"""

from zlib import crc32

SIZE_BITS = 31
SIZE_MASK = (1 << SIZE_BITS) - 1


def with_checksum(key: bytes, size: int, body: bytes) -> int:
    """The value of the size column of a row.

    >>> with_checksum(b"key", 4, b"body") & SIZE_MASK
    4
    """
    return crc32(body, crc32(key, size)) << SIZE_BITS | size


def moved_checksum(old_key: bytes, new_key: bytes, column: int, body: bytes) -> int:
    """The value of the size column of a row that is stored again at another key. A damaged row stays damaged.

    >>> column = with_checksum(b"old", 4, b"body")
    >>> moved_checksum(b"old", b"new", column, b"body") == with_checksum(b"new", 4, b"body")
    True
    >>> is_intact(b"new", moved_checksum(b"old", b"new", column, b"bodi"), b"bodi")
    False
    """
    if not (isinstance(column, int) and isinstance(body, bytes)):
        return column
    moved = with_checksum(new_key, column & SIZE_MASK, body)
    return moved if is_intact(old_key, column, body) else moved ^ 1 << SIZE_BITS


def is_intact(key: object, column: object, body: object) -> bool:
    """Whether a row is as it was written; damage can also change the type of a value.

    >>> column = with_checksum(b"key", 4, b"body")
    >>> is_intact(b"key", column, b"body"), is_intact(b"key", column, b"bodi"), is_intact(b"key", column, None)
    (True, False, False)
    """
    if not (isinstance(key, bytes) and isinstance(column, int) and isinstance(body, bytes)):
        return False
    return column == with_checksum(key, column & SIZE_MASK, body)
