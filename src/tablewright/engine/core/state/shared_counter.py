"""A counter that several processes share: one process increases it, the others compare it with what they know."""

import mmap
import os
import tempfile

_BYTES = 8


class SharedCounter:
    """A number in memory that processes share through a file descriptor.

    >>> counter = SharedCounter.create()
    >>> other = SharedCounter(os.dup(counter.descriptor))
    >>> counter.increase()
    >>> other.value
    1
    >>> counter.close(); other.close()
    """

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self._memory = mmap.mmap(descriptor, _BYTES)
        # A store of eight aligned bytes is one step of the processor: no other process sees half of it.
        self._number = memoryview(self._memory).cast("Q")

    @classmethod
    def create(cls) -> "SharedCounter":
        """A new counter. The file behind it has no name, and ends with the last process that has it."""
        with tempfile.TemporaryFile() as file:
            file.truncate(_BYTES)
            return cls(os.dup(file.fileno()))

    @property
    def value(self) -> int:
        """The current number."""
        return self._number[0]

    def increase(self) -> None:
        """Increase the number; only one process may do so."""
        self._number[0] += 1

    def close(self) -> None:
        """Release the memory and the descriptor."""
        self._number.release()
        self._memory.close()
        os.close(self.descriptor)
