"""Settings of a benchmark run, from the command line."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Settings:
    """How much a run measures."""

    quick: bool = False
    """Measure for less time, and with fewer items: rates are then directions only."""
    items: int | None = None
    """Number of items of the growth benchmark."""

    def rounds(self, usual: int) -> int:
        """The number of rounds: a quick run makes a third of the usual ones."""
        return max(usual // 3, 1) if self.quick else usual
