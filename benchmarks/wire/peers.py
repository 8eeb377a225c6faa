"""`make bench-peers`: install the peers into a cache outside the repository, and print which could not be installed."""

import shutil
import subprocess
import sys
import venv

from benchmarks.wire.contestants import CACHE, CONTESTANTS

NPM = ("dynalite", "@dynoxide/linux-x64", "amplify-dynamodb-simulator")
PIP = "moto[server]"


def main() -> int:
    CACHE.mkdir(parents=True, exist_ok=True)
    _install_from_pypi()
    for package in NPM:
        _install_from_npm(package)
    for contestant in CONTESTANTS:
        print(f"{contestant.name}: {contestant.absence() or 'ready'}")
    return 0


def _install_from_pypi() -> None:
    folder = CACHE / "moto"
    if not (folder / "bin" / "pip").exists():
        venv.create(folder, with_pip=True)
    _try([str(folder / "bin" / "pip"), "install", "--quiet", "--disable-pip-version-check", "--upgrade", PIP])


def _install_from_npm(package: str) -> None:
    npm = shutil.which("npm")
    if npm is None:
        print(f"npm is not installed: no {package}", file=sys.stderr)
        return
    _try([npm, "install", "--prefix", str(CACHE), "--no-audit", "--no-fund", "--loglevel=error", package])


def _try(command: list[str]) -> None:
    process = subprocess.run(command, capture_output=True, text=True)
    if process.returncode != 0:
        print(
            f"{command[-1]} could not be installed: {process.stderr.strip().splitlines()[-1:]}",
            file=sys.stderr,
        )


if __name__ == "__main__":
    sys.exit(main())
