"""Imports: the processor time until a program has imported the language, and until it is connected.

Each program runs in a process of its own, in turns with those of Pydantic and boto3, with cached bytecode. What counts
is the median, and the median of the ratios to the first row in the same round. The least is what an idle machine shows.
"""

import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping

from benchmarks.settings import Settings

ROUNDS = 21
START = "import sys, time\nbegan = 0.0\n"
BEGIN = "began = time.process_time()\n"
END = "\nprint(time.process_time() - began, sum(name.startswith('tablewright') for name in sys.modules))"

EMPTY_MODEL = "import pydantic\nclass Model(pydantic.BaseModel): pass"
LANGUAGE = "from tablewright import Design, Entity, Get, Keys, Table, connect"
KEYS = 'aws_access_key_id="local", aws_secret_access_key="local"'
CLIENT = (
    "import boto3\n"
    f'boto3.client("dynamodb", region_name="us-east-1", endpoint_url="http://localhost:1", {KEYS})'
)
MODELS = """
import pydantic
class User(pydantic.BaseModel):
    user_id: str
    name: str
class UserById(pydantic.BaseModel):
    user_id: str
"""
DESIGN = f"""
{LANGUAGE}
class User(Entity, table=Table("app", key=("PK", "SK")), type="USER"):
    user_id: str
    name: str
    keys = Keys(primary=("USER#{{user_id}}", "PROFILE"))
class UserById(Get[User]):
    user_id: str
design = Design("app", entities=[User], patterns=[UserById])
"""
CONNECT = f'connect(design, "http://localhost:1", region="us-east-1", {KEYS})'


def report(settings: Settings) -> Iterator[str]:
    """The import, `connect`, and whole programs."""
    rounds = settings.rounds(ROUNDS)
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "PYTHONPYCACHEPREFIX": folder}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        yield _table(
            "Import",
            {
                "pydantic, with an empty model": EMPTY_MODEL,
                "`from tablewright import ..., connect`": LANGUAGE,
            },
            rounds,
            environment,
        )
        yield _table(
            "Then connect to an endpoint",
            {
                "boto3 and its client": BEGIN + CLIENT,
                '`connect(design, "http://...")`': DESIGN + BEGIN + CONNECT,
            },
            rounds,
            environment,
        )
        yield _table(
            "A whole program",
            {
                "two models of pydantic, and boto3's client": MODELS + CLIENT,
                'a design with an entity and a pattern, and `connect(design, "http://...")`': DESIGN
                + CONNECT,
                "the same design in memory: `connect(design)`": DESIGN + "connect(design)",
            },
            rounds,
            environment,
        )


def _table(title: str, programs: Mapping[str, str], rounds: int, environment: Mapping[str, str]) -> str:
    times: dict[str, list[float]] = {name: [] for name in programs}
    modules: dict[str, int] = {}
    for number in range(rounds + 1):
        for name, program in programs.items():
            seconds, modules[name] = _run(program, environment)
            if number:  # the first round writes the bytecode
                times[name].append(seconds)
    base = next(iter(times.values()))
    lines = [
        f"### {title}",
        "",
        "| | ms, median | least | ratio | own modules |",
        "|---|---:|---:|---:|---:|",
    ]
    for name, seconds_taken in times.items():
        ratio = statistics.median(own / first for own, first in zip(seconds_taken, base, strict=True))
        median = statistics.median(seconds_taken) * 1000
        least = min(seconds_taken) * 1000
        lines.append(f"| {name} | {median:.0f} | {least:.0f} | {ratio:.2f} | {modules[name] or ''} |")
    return "\n".join(lines) + "\n"


def _run(program: str, environment: Mapping[str, str]) -> tuple[float, int]:
    """The processor seconds of a program, or of its part that is measured, and the modules of ours that it loaded."""
    command = [sys.executable, "-c", START + program + END]
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, check=True, timeout=60)
    seconds, modules = ended.stdout.split()
    return float(seconds), int(modules)
