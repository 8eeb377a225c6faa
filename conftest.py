"""Settings of all tests: golden cases, Hypothesis, the order, time limits, and the table of guarantees."""

import gc
import os
import shutil
from collections.abc import Generator
from pathlib import Path

import hypothesis
import pytest

from tests import botocore_models
from tests.example_counts import FULL, SMALL
from tests.guarantees import FULL_SIZE, PAGE, add_results, read_guarantees, summary
from tests.run_order import FIRST
from tests.time_limits import LIMIT, limited

MEMORY = Path("/dev/shm")
ENOUGH_MEMORY = 4 * 2**30

# A slow machine is not a bug: examples are bounded in number, never in time.
# Which examples a random seed filters out must not decide either; a strategy that yields none at all still fails.
for profile, examples in {"tablewright": SMALL, "full": FULL}.items():
    hypothesis.settings.register_profile(
        profile,
        max_examples=examples,
        deadline=None,
        suppress_health_check=[hypothesis.HealthCheck.too_slow, hypothesis.HealthCheck.filter_too_much],
    )
hypothesis.settings.load_profile("tablewright")
botocore_models.share()
# A client without credentials would ask the network for those of its machine.
os.environ["AWS_EC2_METADATA_DISABLED"] = "true"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden", action="store_true", help="rewrite the expected replies of golden cases"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Keep the files of tests in memory where there is enough: each commit of a data file waits for the disk.

    What is synced, and when, is tested by recording the calls. `make soak` measures on the disk.
    """
    if config.getoption("markexpr") != FULL_SIZE and MEMORY.is_dir():
        free = shutil.disk_usage(MEMORY).free
        if free > ENOUGH_MEMORY and os.access(MEMORY, os.W_OK):
            os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))


@pytest.fixture
def update_golden(request: pytest.FixtureRequest) -> bool:
    """Whether golden cases are rewritten with the current replies instead of compared."""
    return bool(request.config.getoption("--update-golden"))


@pytest.hookimpl(optionalhook=True)  # so that -p no:xdist works, as in `make mutants`
def pytest_xdist_auto_num_workers() -> int | None:
    """One process more than there are processors: hundreds of tests wait for a disk, a browser or another process."""
    is_chosen = "PYTEST_XDIST_AUTO_NUM_WORKERS" in os.environ
    return None if is_chosen else (os.cpu_count() or 1) + 1


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Keep the garbage collector away from the modules and tests, which all stay until the end.

    It would examine these millions of objects again and again: a quarter of the collection, and a part of each test.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()
        # Clients of boto3 make many objects: with the default of 700, the collector takes a sixth of the time of tests.
        gc.set_threshold(20_000, 10, 10)


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path: Path) -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    """Look for examples only in modules that have one: `--doctest-modules` imports and examines all others too."""
    collectors = yield
    # A package may show what its modules define, with their examples.
    if file_path.suffix != ".py" or file_path.name == "__init__.py" or b">>> " in file_path.read_bytes():
        return collectors
    return [collector for collector in collectors if type(collector) is pytest.Module]


def _limit(item: pytest.Item) -> Generator[None, object, object]:
    if item.get_closest_marker("soak"):
        return (yield)
    with limited(LIMIT):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None, object, object]:
    return (yield from _limit(item))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    return (yield from _limit(item))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> Generator[None, object, object]:
    return (yield from _limit(item))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the tests with a browser first and together, which share one browser, and then the longest ones.

    A long test that starts last would keep one process waiting for the other. All else stays in its random order.
    """
    names = {item: item.nodeid for item in items}
    items.sort(key=lambda item: [not names[item].startswith(place) for place in FIRST])


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """After a run at full size: which guarantees were shown."""
    if config.getoption("markexpr") != FULL_SIZE:
        return
    guarantees = read_guarantees(PAGE.read_text(encoding="utf-8"))
    reports = [each for found in terminalreporter.stats.values() for each in found]
    add_results(guarantees, [each for each in reports if isinstance(each, pytest.TestReport)])
    terminalreporter.section("guarantees")
    terminalreporter.write(summary(guarantees, terminalreporter._tw.fullwidth))
