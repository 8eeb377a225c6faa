"""Body buffer: the bytes of a body until it is complete.

A large body is kept in memory that the operating system gives and takes back page by page. The heap of the process
would grow by half more for bodies that arrive side by side, and would not shrink when they are aborted.
"""

from mmap import mmap


class BodyBuffer:
    """Collects a body piece by piece.

    >>> body = BodyBuffer()
    >>> body.append(b"{")
    >>> body.reserve(2)
    >>> body.append(b"}")
    >>> len(body), body.take(), len(body)
    (2, b'{}', 0)
    """

    __slots__ = ("_pages", "_size", "_small")

    def __init__(self) -> None:
        self._small = bytearray()
        self._pages: mmap | None = None
        self._size = 0

    def __len__(self) -> int:
        return self._size

    def append(self, piece: bytes) -> None:
        """Add bytes at the end."""
        self._size += len(piece)
        if self._pages is None:
            self._small += piece
        else:
            self._pages.write(piece)

    def reserve(self, size: int) -> None:
        """Use pages of their own for a body of at most that size."""
        self._pages = mmap(-1, size)
        self._pages.write(self._small)
        self._small = bytearray()

    def take(self) -> bytes:
        """The whole body; the buffer is empty afterwards."""
        body = bytes(self._small) if self._pages is None else self._pages[: self._size]
        self.clear()
        return body

    def clear(self) -> None:
        """Free the memory at once."""
        if self._pages is not None:
            self._pages.close()
            self._pages = None
        self._small = bytearray()
        self._size = 0
