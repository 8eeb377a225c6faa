"""Ion: exports and imports of 20,000 items, against amazon.ion alone, and the time to reject hostile files."""

import contextlib
import time
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator
from decimal import Decimal
from io import BytesIO
from typing import Any

from amazon.ion import simpleion
from amazon.ion.core import IonType
from amazon.ion.simple_types import IonPyList

from benchmarks.settings import Settings
from tablewright.engine.core.buckets.ion_limits import IonError
from tablewright.engine.core.buckets.ion_reader import read_values
from tablewright.engine.features.exports.export_lines import MARKER, write_item

ITEMS = 20_000
PYTHON_ITEMS = 500
DIGITS = "12345678901234567890123456789012345678"
BINARY = b"\xe0\x01\x00\xea"
HOSTILE = {
    "1,000,000 open lists": b"[" * 1_000_000,
    "1d1000000000": b"{Item:{a:1d1000000000}}",
    "an integer of 8,000,000 digits": b"{Item:{a:" + b"1" * 8_000_000 + b"}}",
    "a string without end, of 16 MB": b'{Item:{a:"' + b"a" * 16_000_000,
    "a binary integer of 8 MB": BINARY + b"\x2e\x03\x68\x24\x80" + b"\x7f" * 8_000_000,
    "a binary string of 2 GB, truncated": BINARY + b"\x8e\x07\x7f\x7f\x7f\xff" + b"x" * 100,
}


def item(number: int) -> dict[str, Any]:
    """An item of 600 bytes with each type of attribute."""
    return {
        "PK": {"S": f"user#{number:06}"},
        "SK": {"S": f"order#{number * 7:08}"},
        "total": {"N": "12345.67"},
        "big": {"N": DIGITS},
        "count": {"N": str(number)},
        "tags": {"SS": ["red", "green", "blue"]},
        "numbers": {"NS": ["1", "2.5", "3"]},
        "raw": {"B": b64encode(b"x" * 60).decode()},
        "note": {"S": "the quick brown fox jumps over the lazy dog " * 4},
        "ok": {"BOOL": True},
        "none": {"NULL": True},
        "address": {"M": {"street": {"S": "Main St 1"}, "geo": {"L": [{"N": "52.52"}, {"N": "13.405"}]}}},
        "lines": {"L": [{"M": {"sku": {"S": f"sku-{line}"}, "qty": {"N": str(line)}}} for line in range(3)]},
    }


def ion_value(value: dict[str, Any]) -> Any:
    """An attribute value as amazon.ion takes it."""
    ((kind, content),) = value.items()
    match kind:
        case "S" | "BOOL":
            return content
        case "N":
            return Decimal(content)
        case "B":
            return b64decode(content)
        case "NULL":
            return None
        case "M":
            return {name: ion_value(member) for name, member in content.items()}
        case "L":
            return [ion_value(member) for member in content]
    members = [ion_value({kind[0]: member}) for member in content]
    return IonPyList.from_value(IonType.LIST, members, (f"$dynamodb_{kind}",))


def _load(content: bytes) -> list[Any]:
    model = simpleion.IonPyValueModel
    bare = model.MAY_BE_BARE | model.STRUCT_AS_STD_DICT
    return list(simpleion.load(BytesIO(content), single_value=False, parse_eagerly=False, value_model=bare))


def _load_in_python(content: bytes) -> list[Any]:
    lines = content.splitlines(keepends=True)[:PYTHON_ITEMS]
    return list(simpleion.load_python(BytesIO(b"".join(lines)), single_value=False))


def _seconds(run: Callable[[], object], rounds: int = 3) -> float:
    """The best of some runs, in seconds of processor time."""
    times = []
    for _ in range(rounds):
        start = time.process_time()
        run()
        times.append(time.process_time() - start)
    return min(times)


def _reject(content: bytes) -> None:
    with contextlib.suppress(IonError):
        list(read_values(BytesIO(content)))
        raise AssertionError("a hostile file was read")


def report(settings: Settings) -> Iterator[str]:
    """Items a second, and milliseconds until a hostile file is rejected."""
    items = [item(number) for number in range(ITEMS)]
    text = "".join(f"{MARKER} {{Item:{write_item(each)}}}\n" for each in items).encode()
    values = [{"Item": ion_value({"M": each})} for each in items]
    binary = simpleion.dumps(values, binary=True, sequence_as_stream=True)
    runs: dict[str, tuple[Callable[[], object], int]] = {
        "write text: ours": (lambda: [write_item(each) for each in items], ITEMS),
        "write text: amazon.ion": (
            lambda: [simpleion.dumps(ion_value({"M": each}), binary=False) for each in items],
            ITEMS,
        ),
        "read text: ours, on amazon.ion": (lambda: list(read_values(BytesIO(text))), ITEMS),
        "read text: amazon.ion alone": (lambda: _load(text), ITEMS),
        "read text: amazon.ion without its C extension": (lambda: _load_in_python(text), PYTHON_ITEMS),
        "read binary: ours, on amazon.ion": (lambda: list(read_values(BytesIO(binary))), ITEMS),
    }
    lines = ["### Items a second", "", "| | items a second |", "|---|---:|"]
    lines += [f"| {name} | {count / _seconds(run):,.0f} |" for name, (run, count) in runs.items()]
    yield "\n".join([*lines, ""])
    lines = ["### Hostile files", "", "| | ms to reject |", "|---|---:|"]
    for name, content in HOSTILE.items():
        lines.append(f"| {name} | {_seconds(lambda content=content: _reject(content)) * 1000:.1f} |")  # type: ignore[misc]
    yield "\n".join([*lines, ""])
