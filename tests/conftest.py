"""What every test shares: how golden cases are renewed, and how long hypothesis may think."""

import hypothesis
import pytest

# A slow machine is not a bug: examples are bounded in number, never in time.
hypothesis.settings.register_profile("tablewright", deadline=None)
hypothesis.settings.load_profile("tablewright")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write the answers of golden cases anew")


@pytest.fixture
def update_golden(request: pytest.FixtureRequest) -> bool:
    """Whether golden cases are to be rewritten with what the code answers now, instead of compared."""
    return bool(request.config.getoption("--update-golden"))
