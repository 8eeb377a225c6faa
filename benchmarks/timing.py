"""Timing on a noisy machine: contestants take turns in short rounds, and what counts is the median of their ratios."""

import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

ROUNDS = 15
ROUND_SECONDS = 0.25


@dataclass(frozen=True, slots=True)
class Result:
    """One contestant: microseconds a call, and how many times the first contestant's cost that is."""

    name: str
    microseconds: float
    ratio: float


def compare(
    contestants: Mapping[str, Callable[[], object]],
    calls: int,
    rounds: int = ROUNDS,
    clock: Callable[[], float] = time.perf_counter,
) -> list[Result]:
    """Time each contestant in every round; the first is the measure of the others.

    A slow contestant makes fewer calls, so that its rounds take about `ROUND_SECONDS`.
    """
    counts: dict[str, int] = {}
    for name, contestant in contestants.items():
        trials = calls // 10 + 1
        trial_seconds = _seconds(contestant, trials, time.perf_counter) / trials
        counts[name] = max(1, min(calls, round(ROUND_SECONDS / trial_seconds)))
    times: dict[str, list[float]] = {name: [] for name in contestants}
    for _ in range(rounds):
        for name, contestant in contestants.items():
            times[name].append(_seconds(contestant, counts[name], clock) / counts[name])
    base = next(iter(times.values()))
    return [
        Result(
            name,
            statistics.median(seconds) * 1e6,
            statistics.median(own / first for own, first in zip(seconds, base, strict=True)),
        )
        for name, seconds in times.items()
    ]


def _seconds(contestant: Callable[[], object], calls: int, clock: Callable[[], float]) -> float:
    start = clock()
    for _ in range(calls):
        contestant()
    return clock() - start


def table(title: str, results: list[Result], limit: float | None = None) -> str:
    """Results as a Markdown table."""
    lines = [f"### {title}", "", "| | µs a call | ratio |", "|---|---:|---:|"]
    lines += [f"| {result.name} | {result.microseconds:.1f} | {result.ratio:.2f} |" for result in results]
    if limit is not None:
        lines += ["", f"Budget: at most {limit:g} times the first row."]
    return "\n".join(lines) + "\n"
