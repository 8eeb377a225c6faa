"""Settings of all tests: the option that rewrites golden cases, and no time limit for Hypothesis."""

import hypothesis
import pytest

# A slow machine is not a bug: examples are bounded in number, never in time.
# Which examples a random seed filters out must not decide either; a strategy that yields none at all still fails.
hypothesis.settings.register_profile(
    "tablewright",
    deadline=None,
    suppress_health_check=[hypothesis.HealthCheck.too_slow, hypothesis.HealthCheck.filter_too_much],
)
hypothesis.settings.load_profile("tablewright")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden", action="store_true", help="rewrite the expected replies of golden cases"
    )


@pytest.fixture
def update_golden(request: pytest.FixtureRequest) -> bool:
    """Whether golden cases are rewritten with the current replies instead of compared."""
    return bool(request.config.getoption("--update-golden"))
