"""Write a first design, tests for it, settings for pytest and a CI workflow.

In a project that exists, only what is missing is written. Files that exist are left as they are, and the settings that
they need are printed.
"""

import argparse
import keyword
import re
import sys
from typing import TYPE_CHECKING, NamedTuple

from tablewright.cli.output import print_line
from tablewright.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

NAME = "init"
SUMMARY = "write a first design with tests and a CI workflow"
EPILOG = """\
examples:
  tablewright init                          write into the current directory
  tablewright init shop                     write into the directory shop, which is created
  tablewright init --package orders         choose the name of the package
"""

_DEFAULT_PACKAGE = "app"
_SETTINGS_FILES = ("pytest.toml", ".pytest.toml", "pytest.ini", ".pytest.ini")


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `init`."""
    parser.add_argument(
        "directory", metavar="DIR", nargs="?", default=".", help="directory of the project (default: .)"
    )
    parser.add_argument("--package", metavar="NAME", help="name of the package (default: that of DIR)")
    parser.add_argument(
        "--force", action="store_true", help="overwrite the design, its tests and the workflow if they exist"
    )


class Project(NamedTuple):
    """A directory, and the package that the design goes into."""

    directory: "Path"
    package: str
    root: str
    """The folder of the package: `.`, or `src` in a project that has one."""

    @property
    def design(self) -> str:
        """The path of the design."""
        return f"{'' if self.root == '.' else 'src/'}{self.package}/design.py"

    @property
    def tests(self) -> str:
        """The path of the tests; their module name differs from that of the design's package."""
        return f"tests/test_{self.package}_design.py"

    def fill(self, text: str) -> str:
        """Replace the placeholders of a text."""
        names = {"PACKAGE": self.package, "ROOT": self.root, "DESIGN": self.design, "TESTS": self.tests}
        return re.sub("|".join(names), lambda match: names[match[0]], text)


def run(options: argparse.Namespace) -> int:
    """Write the files, and print what was written and what comes next."""
    from pathlib import Path

    project = _project(Path(options.directory), options.package)
    settings = _settings(project)
    written, kept = _write(project, force=options.force)
    if settings.text is not None:
        (project.directory / "pyproject.toml").write_text(settings.text)
    for name in written:
        print_line(f"wrote  {name}")
    for name in kept:
        print_line(f"kept   {name}")
    print_line(settings.message)
    print_line(_next_commands(project, is_current=project.directory.resolve() == Path.cwd()))
    return 0


def _project(directory: "Path", package: str | None) -> Project:
    if directory.exists() and not directory.is_dir():
        raise UsageError(f"{directory} is a file; give a directory")
    if package is not None and (not package.isidentifier() or keyword.iskeyword(package)):
        raise UsageError(f"{package!r} cannot be the name of a package; give a Python name with --package")
    if package is not None and _is_taken(package):
        raise UsageError(f"{package} is the name of an installed module; give another name with --package")
    return Project(
        directory,
        package or _package_name(directory.resolve().name),
        "src" if (directory / "src").is_dir() else ".",
    )


def _package_name(directory: str) -> str:
    name = re.sub(r"\W+", "_", directory.lower()).strip("_")
    usable = name.isidentifier() and name.isascii() and not keyword.iskeyword(name) and not _is_taken(name)
    return name if usable else _DEFAULT_PACKAGE


def _is_taken(package: str) -> bool:
    return package in sys.stdlib_module_names or package in ("pytest", "tablewright", "tests")


def _write(project: Project, *, force: bool) -> tuple[list[str], list[str]]:
    """Write the files; return the names of those that were written, and of those that existed."""
    from tablewright.cli import first_project

    package = project.design.removesuffix("design.py")
    own = {
        project.design: first_project.DESIGN,
        project.tests: first_project.TESTS,
        ".github/workflows/design.yml": first_project.WORKFLOW,
    }
    shared = {
        f"{package}__init__.py": '"""PACKAGE."""\n',
        "README.md": first_project.README,
    }
    existing = [name for name in own if (project.directory / name).exists()]
    if existing and not force:
        raise UsageError(
            f"{', '.join(existing)} in {project.directory.resolve()}: already there, nothing was written; choose "
            "another name with --package, or overwrite with --force"
        )
    kept = [name for name in shared if (project.directory / name).exists()]
    written = sorted({**own, **shared}.keys() - set(kept))
    try:
        for name in written:
            file = project.directory / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(project.fill({**own, **shared}[name]))
    except OSError as error:
        raise UsageError(f"{error.filename} cannot be written: {error.strerror}") from None
    return written, kept


class Settings(NamedTuple):
    """The new text of pyproject.toml, None to keep it, and a message with what was done or is left to the user."""

    text: str | None
    message: str


def _settings(project: Project) -> Settings:
    from tablewright.cli import first_project

    file = project.directory / "pyproject.toml"
    settings = project.fill(first_project.PYTEST_SETTINGS)
    text = file.read_text() if file.exists() else ""
    place = _pytest_table(text) or _other_settings(project.directory)
    if place is None and not text:
        return Settings(project.fill(first_project.PYPROJECT) + settings, "wrote  pyproject.toml")
    if place is None:
        return Settings(
            f"{text.rstrip()}\n\n{settings}", "added  [tool.pytest.ini_options] to pyproject.toml"
        )
    lines = settings.splitlines()[1:]
    if place.endswith((".ini", ".cfg")):
        lines = [re.sub(r'[\[\]"]', "", line) for line in lines]
    if lines[0] in text.splitlines():
        return Settings(None, "kept   pyproject.toml")
    added = "".join(f"\n    {line}" for line in lines)
    return Settings(None, f"kept   the pytest settings in {place}; add these lines to them:\n{added}")


def _other_settings(directory: "Path") -> str | None:
    """The file besides pyproject.toml that has the pytest settings."""
    for name in _SETTINGS_FILES:
        if (directory / name).exists():
            return name
    for name, section in (("tox.ini", "[pytest]"), ("setup.cfg", "[tool:pytest]")):
        if (directory / name).exists() and section in (directory / name).read_text():
            return name
    return None


def _pytest_table(pyproject: str) -> str | None:
    import tomllib

    try:
        tools = tomllib.loads(pyproject).get("tool", {})
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"pyproject.toml is not valid: {error}") from None
    if "pytest" not in tools:
        return None
    return (
        "[tool.pytest.ini_options] of pyproject.toml"
        if "ini_options" in tools["pytest"]
        else "pyproject.toml"
    )


def _next_commands(project: Project, *, is_current: bool) -> str:
    import shlex

    enter = "" if is_current else f"    cd {shlex.quote(str(project.directory))}\n"
    path = "" if project.root == "." else "PYTHONPATH=src "
    return (
        f"\nNext:\n\n{enter}"
        f"    {path}tablewright check {project.package}.design:design\n"
        f"    python -m pytest\n"
        f"    {path}tablewright deploy {project.package}.design:design --env dev\n"
        f"    {path}tablewright generate samples {project.package}.design:design --env dev --on tablewright.db\n"
        f"    {path}tablewright console {project.package}.design:design --env dev"
    )
