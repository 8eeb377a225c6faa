"""The pytest plugin: fixtures with a new, empty DynamoDB for each test.

pytest loads this module in every run where Tablewright is installed, so it imports nothing slow at the top, and every
fixture that it always registers has a name that no other project uses. The short names `db`, `async_db` and `db_clock`
are registered only in projects that set `tablewright_design` or mark a test with `tablewright`, and never in place of a
fixture of another plugin. Fixtures of a conftest.py or a test module override them, as pytest does it.

Every test has a database of its own, so nothing can leak from one test into the next: a copy of a database in which the
tables of the design were created once for each worker process. A copy takes less than a millisecond.
"""

import sys
from collections.abc import Generator, Iterator
from inspect import getattr_static
from os.path import basename
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import pytest

if TYPE_CHECKING:
    from tablewright import Clock, Design, Faults, Repository
    from tablewright.access.async_repository import AsyncRepository
    from tablewright.connections import Embedded

SETTING = "tablewright_design"
ENVIRONMENT_SETTING = "tablewright_environment"
MARKER = "tablewright"
_OPTIONS = ("design", "environment", "faults")
_SHORT_NAMES = "tablewright_short_names"
_FIXTURE_MARKERS = ("_fixture_function_marker", "_pytestfixturefunction")
"""Attributes that tell fixtures from other objects: since pytest 8.4, and before it."""
_PREPARED = pytest.StashKey["dict[tuple[Design, tuple[str, ...]], Embedded]"]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the settings."""
    parser.addini(SETTING, 'design of the fixture db: "module:name"')
    parser.addini(ENVIRONMENT_SETTING, "value of {env} in table names, for the fixture db", default="test")


def pytest_configure(config: pytest.Config) -> None:
    """Declare the marker; with a design in the settings, register the short names."""
    config.addinivalue_line(
        "markers",
        f"{MARKER}(design=None, environment=None, faults=None): "
        "design, environment and faults of the fixture db in this test; the design is a Design or its import name",
    )
    config.stash[_PREPARED] = {}
    if config.getini(SETTING):
        _register_short_names(config)


def pytest_unconfigure(config: pytest.Config) -> None:
    """Close the prepared databases."""
    for prepared in config.stash.get(_PREPARED, {}).values():
        prepared.close()


def pytest_report_header(config: pytest.Config) -> str | None:
    """Show the design, and the short names that other plugins have taken."""
    if not config.getini(SETTING):
        return None
    taken = "".join(
        f"; {name} is a fixture of {owner}, use tablewright_{name}"
        for name in _short_names()
        if (owner := _owner(config, name)) is not None
    )
    return f"tablewright: {config.getini(SETTING)}{taken}"


@pytest.hookimpl(tryfirst=True)
def pytest_pycollect_makeitem(collector: pytest.Collector, obj: object) -> None:
    """Register the short names when the first marked test is collected."""
    if not isinstance(obj, FunctionType | type) or collector.config.pluginmanager.has_plugin(_SHORT_NAMES):
        return
    marks = getattr(obj, "pytestmark", ())
    if collector.get_closest_marker(MARKER) or any(getattr(mark, "name", None) == MARKER for mark in marks):
        _register_short_names(collector.config)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: "pytest.CallInfo[None]") -> Generator[None, Any, None]:
    """Show how to get a short name, where a test of a project with a design asks for one that is not registered."""
    outcome = yield
    if call.excinfo is None or "tablewright.design.designs" not in sys.modules:
        return
    missing = getattr(call.excinfo.value, "argname", None)
    if call.excinfo.typename == "FixtureLookupError" and missing in _short_names():
        outcome.get_result().sections.append(("tablewright", _how_to_set(item.config)))


@pytest.fixture
def dynamodb_engine() -> "Iterator[Embedded]":
    """The connection to this test's DynamoDB, which is empty and in memory; `dynamodb` uses it."""
    from tablewright import embedded

    with embedded() as db:
        yield db


@pytest.fixture
def dynamodb(dynamodb_engine: "Embedded") -> Any:
    """A boto3 resource on a new, empty DynamoDB in memory; the client is `dynamodb.meta.client`."""
    return dynamodb_engine.resource()


@pytest.fixture
def dynamodb_clock(dynamodb_engine: "Embedded") -> "Clock":
    """The clock of this test's DynamoDB: freeze it or advance it."""
    return dynamodb_engine.clock


@pytest.fixture
def tablewright_db_engine(request: pytest.FixtureRequest) -> "Iterator[Embedded]":
    """The embedded database of `tablewright_db`: `sweep()`, `client()`, `intercept()`; also as `db_engine`."""
    settings = _settings(request)
    with _prepared(request.config, settings).copy(faults=settings.faults) as engine:
        yield engine


@pytest.fixture
def tablewright_db(
    request: pytest.FixtureRequest, tablewright_db_engine: "Embedded"
) -> "Repository[Embedded]":
    """The design of this test, connected to an empty database in memory; also as `db`.

    The design is that of the marker `tablewright`, or of the setting `tablewright_design`.
    """
    from tablewright import connect, keyrings

    settings = _settings(request)
    secrets = None if settings.design.key_table is None else keyrings.MemoryKeys()
    return connect(
        settings.design,
        tablewright_db_engine,
        environment=settings.environment,
        secrets=secrets,
        create=False,
    )


@pytest.fixture
def tablewright_async_db(tablewright_db: "Repository[Embedded]") -> "AsyncRepository":
    """The repository of `tablewright_db` for async code, on the same database; also as `async_db`."""
    return tablewright_db.aio


@pytest.fixture
def tablewright_db_clock(tablewright_db_engine: "Embedded") -> "Clock":
    """The clock of `tablewright_db`: freeze it or advance it; also as `db_clock`."""
    return tablewright_db_engine.clock


def _short_names() -> dict[str, Any]:
    """The fixtures with short names; in a function, so that pytest does not register them with this module."""

    @pytest.fixture
    def db(tablewright_db: "Repository[Embedded]") -> "Repository[Embedded]":
        """The design of this test, connected to an empty database in memory; the same as `tablewright_db`."""
        return tablewright_db

    @pytest.fixture
    def async_db(tablewright_async_db: "AsyncRepository") -> "AsyncRepository":
        """The repository of `db` for async code, on the same database."""
        return tablewright_async_db

    @pytest.fixture
    def db_clock(tablewright_db_clock: "Clock") -> "Clock":
        """The clock of `db`: freeze it or advance it."""
        return tablewright_db_clock

    @pytest.fixture
    def db_engine(tablewright_db_engine: "Embedded") -> "Embedded":
        """The embedded database of `db`: `sweep()`, `client()`, `intercept()`."""
        return tablewright_db_engine

    return {"db": db, "async_db": async_db, "db_clock": db_clock, "db_engine": db_engine}


def _register_short_names(config: pytest.Config) -> None:
    """Register the short names that no other plugin has."""
    plugin = ModuleType(_SHORT_NAMES)
    for name, fixture in _short_names().items():
        if _owner(config, name) is None:
            setattr(plugin, name, fixture)
    config.pluginmanager.register(plugin, _SHORT_NAMES)


def _owner(config: pytest.Config, fixture: str) -> str | None:
    """The name of another plugin that has a fixture of this name.

    A conftest.py is not counted: its fixtures override those of plugins, in its own folder only.
    """
    for registered, plugin in config.pluginmanager.list_name_plugin():
        if plugin is None or registered == _SHORT_NAMES or basename(registered) == "conftest.py":
            continue
        if any(_fixture_name(plugin, member) == fixture for member in dir(plugin)):
            return str(getattr(plugin, "__name__", registered))
    return None


def _fixture_name(plugin: object, member: str) -> str | None:
    """The name of the fixture that a member of a plugin is; None if it is something else."""
    value = getattr_static(plugin, member, None)
    for attribute in _FIXTURE_MARKERS:
        marker = getattr_static(value, attribute, None)
        if marker is not None:
            return getattr(marker, "name", None) or member
    return None


class _Settings(NamedTuple):
    design: "Design"
    environment: str
    faults: "Faults | None"


def _settings(request: pytest.FixtureRequest) -> _Settings:
    """The settings of a test: those of the closest marker that has them, else those of the project."""
    given: dict[str, Any] = {}
    for marker in request.node.iter_markers(MARKER):
        given = _options(marker) | given
    environment = given.get("environment") or request.config.getini(ENVIRONMENT_SETTING)
    return _Settings(_design(request.config, given.get("design")), environment, given.get("faults"))


def _options(marker: pytest.Mark) -> dict[str, Any]:
    """The options of a marker; the design may be its only positional argument."""
    options: dict[str, Any] = dict(zip(_OPTIONS, marker.args[:1], strict=False)) | dict(marker.kwargs)
    unknown = [name for name in options if name not in _OPTIONS]
    if unknown or len(marker.args) > 1 or (marker.args and "design" in marker.kwargs):
        arguments = [*map(repr, marker.args), *(f"{name}={value!r}" for name, value in marker.kwargs.items())]
        _fail(
            f"@pytest.mark.{MARKER}({', '.join(arguments)}) is not valid: it takes one design, and the options "
            "environment= and faults="
        )
    return options


def _design(config: pytest.Config, marked: object) -> "Design":
    from tablewright import Design, errors

    if isinstance(marked, Design):
        return marked
    if marked is not None and not isinstance(marked, str):
        _fail(
            f"@pytest.mark.{MARKER}(design={marked!r}): the design must be a Design, or its import name such as "
            f'"myapp.design:design"'
        )
    file = _settings_file(config)
    name = marked or config.getini(SETTING)
    if not name:
        _fail(_how_to_set(config))
    place = f'@pytest.mark.{MARKER}("{name}")' if marked else f"{file}: {_setting_line(file, name)}"
    try:
        return Design.load(name)
    except errors.DesignError as error:
        problem = f"{place}\n{error}{_import_hint(config, name)}"
    return _fail(problem)  # outside of the handler, so that pytest shows this message alone


def _how_to_set(config: pytest.Config) -> str:
    file = _settings_file(config)
    return (
        f"no design is set. Add this line to the pytest settings in {file}:\n\n"
        f"    {_setting_line(file, 'myapp.design:design')}\n\n"
        f'or mark the test: @pytest.mark.{MARKER}("myapp.design:design")'
    )


def _settings_file(config: pytest.Config) -> str:
    return config.inipath.name if config.inipath else "pyproject.toml"


def _setting_line(file: str, design: str) -> str:
    return f'{SETTING} = "{design}"' if file.endswith(".toml") else f"{SETTING} = {design}"


def _import_hint(config: pytest.Config, name: str) -> str:
    """What to add when the module is in the root folder of the project, but not on Python's path."""
    top = name.partition(":")[0].partition(".")[0]
    for folder in (".", "src"):
        root = config.rootpath / folder
        if top not in sys.modules and ((root / top).is_dir() or (root / f"{top}.py").is_file()):
            return (
                f"\n{top} is in {root.resolve()}, which is not on Python's path; add to the pytest settings: "
                f'pythonpath = ["{folder}"]'
            )
    return ""


def _prepared(config: pytest.Config, settings: _Settings) -> "Embedded":
    """A database with the tables of a design, created once for each worker process; tests use copies of it."""
    from tablewright import connect, embedded

    names = tuple(table.physical_name(settings.environment) for table in settings.design.tables)
    prepared = config.stash[_PREPARED]
    if (settings.design, names) not in prepared:
        engine = embedded()
        connect(settings.design, engine, environment=settings.environment)
        prepared[settings.design, names] = engine
    return prepared[settings.design, names]


def _fail(message: str) -> NoReturn:
    pytest.fail(f"tablewright: {message}", pytrace=False)
