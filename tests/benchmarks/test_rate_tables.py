"""Ratios compare like with like: our server with the best of the peers that do the same work."""

from pathlib import Path

import pytest

from benchmarks.wire.contestants import Contestant
from benchmarks.wire.rate_tables import Comparison, Group, Sample, Samples, comparisons, group_tables, target


def server(name: str, *, flushes_writes: bool = True) -> Contestant:
    return Contestant(name, lambda port, folder: [], Path("/"), flushes_writes=flushes_writes)


OURS = server("Tablewright, 1 process")
SERVERS = [OURS, server("slow"), server("fast"), server("lazy", flushes_writes=False)]
SAMPLES: Samples = {
    "Tablewright, 1 process": [Sample(300, 10), Sample(600, 20), Sample(900, 20)],
    "slow": [Sample(50, 100), Sample(50, 100), Sample(50, 100)],
    "fast": [Sample(100, 30), Sample(200, 40), Sample(100, 60)],
    "lazy": [Sample(600, 20), Sample(600, 20), Sample(600, 20)],
}


def test_peers_that_flush_and_peers_that_do_not_are_compared_apart() -> None:
    assert comparisons(SERVERS) == [
        Comparison("1 process ÷ best peer", OURS.name, ["slow", "fast"]),
        Comparison("1 process ÷ lazy", OURS.name, ["lazy"]),
    ]


def test_ratios_are_medians_of_the_rounds() -> None:
    to_best, to_lazy = comparisons(SERVERS)
    assert (to_best.rate(SAMPLES), to_lazy.rate(SAMPLES)) == (3, 1)
    assert to_best.processor(SAMPLES) == pytest.approx(3)  # 30/10, 40/20, 60/20


def test_a_peer_without_the_operation_is_left_out() -> None:
    without_fast = {name: samples for name, samples in SAMPLES.items() if name != "fast"}
    to_best, _ = comparisons(SERVERS)
    assert to_best.rate(without_fast) == 12
    assert to_best.rate({OURS.name: SAMPLES[OURS.name]}) is None


def test_the_tables_show_rates_processor_time_and_reached_targets() -> None:
    text = "\n".join(group_tables(Group("files", SERVERS, {("GetItem", 16): SAMPLES})))
    assert "| GetItem | 16 | 600 | 50 | 100 | 600 | **3.0** | 1.0 |" in text
    assert "| GetItem | 16 | 20 | 100 | 40 | 20 | 3.0 | 1.0 |" in text
    assert "1 process ÷ best peer in 1 of 1 rows; 1 process ÷ lazy in 0 of 1 rows." in text


def test_targets() -> None:
    assert [target("GetItem", 1), target("GetItem", 16), target("PutItem", 64)] == [1.3, 3.0, 2.5]
