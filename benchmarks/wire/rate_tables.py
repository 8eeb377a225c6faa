"""Tables of a group of servers: requests per second and processor time per request, with ratios to the best peer."""

import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from benchmarks.wire.contestants import Contestant

CONNECTIONS = (1, 16, 64)


@dataclass(frozen=True, slots=True)
class Sample:
    """One round of one server."""

    rate: float
    """Requests per second."""
    processor: float
    """Microseconds of processor time per request, of all processes of the server."""


Samples = dict[str, list[Sample]]
"""Samples of each server, by its name."""


@dataclass(frozen=True, slots=True)
class Group:
    """Servers that were measured together."""

    title: str
    servers: Sequence[Contestant]
    samples: Mapping[tuple[str, int], Samples]
    """By workload and number of connections."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """A column of ratios: one of our servers against the best of some peers."""

    title: str
    ours: str
    peers: Sequence[str]

    def rate(self, samples: Samples) -> float | None:
        """Our rate by the highest rate of the peers; the median of the rounds."""
        return self._ratio(
            [(own.rate, [peer.rate for peer in peers]) for own, peers in self._rounds(samples)]
        )

    def processor(self, samples: Samples) -> float | None:
        """The least processor time of the peers by ours; the median of the rounds."""
        rounds = [(own.processor, [peer.processor for peer in peers]) for own, peers in self._rounds(samples)]
        return self._ratio([(1 / own, [1 / peer for peer in peers if peer]) for own, peers in rounds if own])

    def _rounds(self, samples: Samples) -> list[tuple[Sample, list[Sample]]]:
        own = samples.get(self.ours, [])
        peers = [samples[name] for name in self.peers if name in samples]
        return [(sample, [peer[place] for peer in peers]) for place, sample in enumerate(own)]

    @staticmethod
    def _ratio(rounds: list[tuple[float, list[float]]]) -> float | None:
        ratios = [own / max(peers) for own, peers in rounds if peers]
        return statistics.median(ratios) if ratios else None


def target(workload: str, connections: int) -> float:
    """The ratio that we want to reach."""
    if connections == 1:
        return 1.3
    return 2.5 if workload in ("PutItem", "UpdateItem") else 3.0


def comparisons(servers: Sequence[Contestant]) -> list[Comparison]:
    """Each of our servers against the best peer; on files, against peers that flush writes and peers that do not."""
    ours = [server for server in servers if server.is_ours]
    found = []
    for is_flushing in (True, False):
        peers = [
            server.name for server in servers if not server.is_ours and server.flushes_writes == is_flushing
        ]
        if not peers:
            continue
        versus = peers[0] if len(peers) == 1 else "best peer"
        found += [Comparison(f"{own.name.partition(', ')[2]} ÷ {versus}", own.name, peers) for own in ours]
    return found


def group_tables(group: Group) -> Iterator[str]:
    """The two tables of a group, and how many targets are reached."""
    compared = comparisons(group.servers)
    names = [server.name for server in group.servers]
    header = f"| operation | connections | {' | '.join([*names, *(each.title for each in compared)])} |"
    rule = "|---|---:|" + "---:|" * (len(names) + len(compared))
    yield f"### Requests per second, {group.title}\n\n{header}\n{rule}"
    for (workload, connections), samples in group.samples.items():
        rates = [_median([each.rate for each in samples.get(name, [])], ",.0f") for name in names]
        ratios = [_shown(each.rate(samples), target(workload, connections)) for each in compared]
        yield f"| {workload} | {connections} | {' | '.join([*rates, *ratios])} |"
    yield _reached(group, compared)
    yield f"### Processor time per request in µs, {group.title}\n\n{header}\n{rule}"
    for (workload, connections), samples in group.samples.items():
        times = [_median([each.processor for each in samples.get(name, [])], ",.0f") for name in names]
        ratios = [_shown(each.processor(samples), None) for each in compared]
        yield f"| {workload} | {connections} | {' | '.join([*times, *ratios])} |"
    yield ""


def _reached(group: Group, compared: Sequence[Comparison]) -> str:
    counts = []
    for each in compared:
        ratios = {place: each.rate(samples) for place, samples in group.samples.items()}
        reached = sum(ratio is not None and ratio >= target(*place) for place, ratio in ratios.items())
        rows = sum(ratio is not None for ratio in ratios.values())
        counts.append(f"{each.title} in {reached} of {rows} rows")
    return f"\nBold: the target is reached. {'; '.join(counts)}.\n"


def _median(values: Sequence[float], form: str) -> str:
    return format(statistics.median(values), form) if values else "-"


def _shown(ratio: float | None, wanted: float | None) -> str:
    if ratio is None:
        return "-"
    return f"**{ratio:.1f}**" if wanted is not None and ratio >= wanted else f"{ratio:.1f}"
