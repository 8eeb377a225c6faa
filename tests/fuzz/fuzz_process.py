"""Fuzz one target in this process: `python -m tests.fuzz.fuzz_process REQUEST`. libFuzzer owns the process and ends it.

REQUEST is a JSON file with the target, the number of inputs, a random seed, a directory for the results, and Python
code that plants a bug. `result.json` in the directory tells what was reached, or which input failed and how.
"""

import gc
import json
import os
import sys
import traceback
from contextlib import ExitStack
from functools import _lru_cache_wrapper
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from random import Random
from time import thread_time
from typing import Any

# Seconds of processor time for an input of any length, and for each byte. Parsers need less than half of it.
ALWAYS = 0.1
PER_BYTE = 40e-6
# libFuzzer's inputs are short, as many short ones find more than few long ones; each hundredth is enlarged.
LONGEST = 400
ENLARGED = 100


class Fuzzing:
    """Inputs of one target, counted; the first failure ends the process."""

    def __init__(self, request: dict[str, Any], target: Any, atheris: Any) -> None:
        self.atheris = atheris
        self.target = target
        self.inputs = request["inputs"]
        self.directory = Path(request["directory"])
        self.random = Random(request["seed"])
        self.done = 0
        self.reached: dict[str, bytes] = {}
        self.slowest = 0.0
        self.slowest_input = ""
        # Results that are cached would hide both time and coverage.
        self.caches = [each for each in gc.get_objects() if isinstance(each, _lru_cache_wrapper)]
        self.caches = [
            each for each in self.caches if each.__module__.startswith("tablewright.dynamodb.expressions")
        ]

    def check(self, data: bytes) -> None:
        """Check an input of libFuzzer, and sometimes the same enlarged: time must grow as the length does."""
        self._check(data)
        if self.done % ENLARGED == 0:
            longest = self.target.longest
            # Most inputs are invalid, and are rejected before the enlarged part; the seeds are valid.
            base = self.random.choice((data, *self.target.seeds))
            text = enlarged(base.decode("utf-8", "surrogateescape"), self.random, longest)
            self._check(text.encode("utf-8", "surrogateescape")[:longest])

    def _check(self, data: bytes) -> None:
        try:
            seconds, reached = self._timed(data)
        except Exception as error:
            self._fail(data, f"{type(error).__name__}: {error}", "".join(traceback.format_exc()[-3000:]))
            return
        limit = ALWAYS + PER_BYTE * len(data)
        if seconds > limit:
            seconds = min(seconds, self._timed(data)[0], self._timed(data)[0])
            if seconds > limit:
                self._fail(data, f"too slow: {seconds:.2f} s of processor time for {len(data)} bytes", "")
        if seconds > self.slowest:
            self.slowest, self.slowest_input = seconds, repr(data[:200])
        for landmark in reached:
            known = self.reached.get(landmark)
            if known is None or len(data) < len(known):
                self.reached[landmark] = data
        self.done += 1
        if self.done >= self.inputs:
            self._finish()

    def mutate(self, data: bytes, longest: int, seed: int) -> bytes:
        """One mutation: by libFuzzer, with its dictionary, or by the grammar."""
        random = Random(seed)
        if random.random() < 0.3:
            return bytes(self.atheris.Mutate(data, longest))
        text = data.decode("utf-8", "surrogateescape")
        changed = mutated(text, self.target.grammar, random)
        return changed.encode("utf-8", "surrogateescape")[:longest]

    def _timed(self, data: bytes) -> tuple[float, set[str]]:
        for cache in self.caches:
            cache.cache_clear()
        start = thread_time()
        reached = self.target.check(data)
        return thread_time() - start, reached

    def _fail(self, data: bytes, error: str, trace: str) -> None:
        self._write(failed=repr(data[:1000]), size=len(data), error=error, trace=trace)
        (self.directory / "failed-input").write_bytes(data)
        os._exit(1)

    def _finish(self) -> None:
        self._write(
            slowest=self.slowest,
            slowest_input=self.slowest_input,
            reached={name: data.hex() for name, data in self.reached.items()},
        )
        os._exit(0)

    def _write(self, **result: Any) -> None:
        (self.directory / "result.json").write_text(json.dumps({"inputs": self.done, **result}))


def main(request: dict[str, Any], atheris: Any) -> None:
    """Fuzz until the number of inputs is reached, or one fails."""
    target = TARGETS[request["target"]]
    exec(request["planted"], {})
    directory = Path(request["directory"])
    corpus = directory / "corpus"
    corpus.mkdir()
    for number, seed in enumerate(target.seeds):
        (corpus / f"seed-{number}").write_bytes(seed)
    words = "".join(
        f'"{"".join(f"{chr(92)}x{byte:02x}" for byte in word.encode())}"\n' for word in target.grammar.words
    )
    (directory / "words.dict").write_text(words)
    fuzzing = Fuzzing(request, target, atheris)
    options = {
        "seed": request["seed"],
        "max_len": LONGEST,
        "timeout": 60,
        "dict": directory / "words.dict",
        "artifact_prefix": f"{directory}/",
    }
    arguments = [sys.argv[0], *(f"-{name}={value}" for name, value in options.items()), str(corpus)]
    atheris.Setup(arguments, fuzzing.check, custom_mutator=fuzzing.mutate)
    atheris.Fuzz()


def modules_beside(included: list[str]) -> list[str]:
    """The modules of the package that are not fuzzed.

    atheris would instrument them too, which takes seconds: it compares only the first part of a name with `include`.
    """
    package = find_spec("tablewright")
    assert package is not None
    (root,) = map(Path, package.submodule_search_locations or ())
    files = (file.relative_to(root.parent).with_suffix("") for file in root.rglob("*.py"))
    names = {".".join(file.parts).removesuffix(".__init__") for file in files}
    return sorted(name for name in names if not any(f"{name}.".startswith(f"{each}.") for each in included))


def load(modules: list[str]) -> None:
    """Import the targets, with these modules instrumented."""
    # Not every system has it, and pytest imports this module to look for doctests.
    atheris = import_module("atheris")
    with ExitStack() as instrumented:
        if modules:
            instrumented.enter_context(
                atheris.instrument_imports(include=modules, exclude=modules_beside(modules))
            )
        import_module("tests.fuzz.targets")


if __name__ == "__main__":
    given = json.loads(Path(sys.argv[1]).read_text())
    load(given["modules"])
    from tests.fuzz.random_grammar import enlarged, mutated
    from tests.fuzz.targets import TARGETS

    main(given, import_module("atheris"))
