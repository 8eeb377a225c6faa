"""`values` compiled by mypyc against `values` as it is: microseconds of processor time of a call, in process.

A copy of the package is compiled in a temporary folder; that needs a C compiler and takes half a minute.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.settings import Settings

MODULES = ("attributes", "item_sizes", "key_bytes", "numbers", "stored_items")
ROUNDS = 5
_SOURCES = Path(__file__).parent.parent / "src"
_MEASURE = """
import json, sys, time
from tablewright.engine.database import Database
from tablewright.engine.storage import open_store
from benchmarks.items import TABLE, item
database = Database(open_store())
database.call("CreateTable", TABLE)
put = {"TableName": "bench", "Item": item(1)}
key = {name: put["Item"][name] for name in [each["AttributeName"] for each in TABLE["KeySchema"]]}
transact = {"TransactItems": [{"Put": {"TableName": "bench", "Item": item(number)}} for number in range(4)]}
requests = {"GetItem": {"TableName": "bench", "Key": key}, "PutItem": put, "TransactWriteItems": transact}
found = {}
for name, request in requests.items():
    body, best = json.dumps(request).encode(), 1e9
    database.call_json("PutItem", json.dumps(put).encode())
    for _ in range(7):
        began = time.process_time()
        for _ in range(1000):
            database.call_json(name, body)
        best = min(best, time.process_time() - began)
    found[name] = best * 1000
print(json.dumps(found))
"""


def report(settings: Settings) -> Iterator[str]:
    """One table: each operation as it is, compiled, and the ratio; the median of alternating rounds."""
    with tempfile.TemporaryDirectory() as folder:
        compiled = Path(folder) / "src"
        shutil.copytree(_SOURCES, compiled, ignore=shutil.ignore_patterns("__pycache__"))
        modules = [f"tablewright/values/{name}.py" for name in MODULES]
        mypyc = Path(sys.executable).with_name("mypyc")
        # mypy checks what PYTHONPATH names, and would check the whole package with other settings.
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        subprocess.run([str(mypyc), *modules], cwd=compiled, env=environment, check=True, capture_output=True)
        rounds = [(_measured(_SOURCES), _measured(compiled)) for _ in range(ROUNDS)]
    yield "### values compiled by mypyc, µs of processor time of a call in process\n"
    yield "| | as it is | compiled | ratio |\n|---|---:|---:|---:|"
    for name in rounds[0][0]:
        plain, fast = (sorted(each[side][name] for each in rounds)[ROUNDS // 2] for side in (0, 1))
        yield f"| {name} | {plain:.1f} | {fast:.1f} | {fast / plain:.2f} |"


def _measured(sources: Path) -> dict[str, float]:
    path = os.pathsep.join([str(sources), str(_SOURCES.parent)])
    done = subprocess.run(
        [sys.executable, "-c", _MEASURE],
        env={**os.environ, "PYTHONPATH": path},
        check=True,
        capture_output=True,
        text=True,
    )
    found: dict[str, float] = json.loads(done.stdout)
    return found
