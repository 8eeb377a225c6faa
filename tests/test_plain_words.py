"""Plain words: code, messages, documentation and test names use the words of docs/architecture/glossary.md.

One concept has one word. `INSTEAD` lists words that a reader has to decode, each with its replacement; the test fails
on every use of them. `EXEMPT` lists the files that quote them, with the reason.
"""

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
FOLDERS = ("src", "systems", "docs", "tests", "benchmarks", "examples")
SUFFIXES = {".py", ".md", ".html", ".js", ".css", ".txt"}

INSTEAD = {
    "told": "reported, notified; on_progress for a callback",
    "whoever": "name the actor: the caller, another writer",
    "somebody": "name the actor: the caller, another writer",
    "nobody": "name the actor, or say that nothing does it",
    "anybody": "name the actor: any client, any user",
    "everybody": "name the actor: all clients, all users",
    "vigil": "busy poll",
    "errand": "blocking task",
    "deed": "action",
    "hindsight": "stale reads",
    "satellite": "dependent (a copy or a lock)",
    "complaint": "problem",
    "household": "host",
    "moment": "time, timestamp, point in time",
    "luck": "rng, random seed",
    "ghost": "incomplete item",
    "heard": "received",
    "telling": "dispatch",
    "teller": "dispatcher",
    "reckon": "calculate, estimate",
    "dearer": "more expensive",
    "shall": "must, will",
    "stranger": "name the thing: an unknown item, another user",
    "crowd": "name the actors: concurrent clients",
    "meddle": "concurrent write",
    "meddled": "with a concurrent write",
    "trouble": "fault, failure, error",
    "story": "scenario",
    "stories": "scenarios",
    "beside writer": "concurrently with writers",
    "beside other writer": "concurrently with other writers",
    "beside a writer": "concurrently with a writer",
    "oversight": "forbidden import",
    "knot": "import cycle",
}
EXEMPT = {
    "docs/architecture/glossary.md": "names the words that it replaces",
    "tests/test_plain_words.py": "is the list",
}

LISTED = re.compile(rf"(?<![a-z])({'|'.join(INSTEAD)})s?(?![a-z])", re.IGNORECASE)


def listed_words(text: str) -> Iterator[tuple[int, str, str]]:
    """The line, the word and the replacement of each listed word in a text."""
    for word in LISTED.finditer(text):
        yield text.count("\n", 0, word.start()) + 1, word[0], INSTEAD[word[1].lower()]


def checked_files() -> Iterator[Path]:
    yield from ROOT.glob("*.md")
    for folder in FOLDERS:
        for path in (ROOT / folder).rglob("*"):
            if path.suffix in SUFFIXES and "vendor" not in path.parts:
                yield path


def test_no_listed_word_is_used() -> None:
    found = []
    for path in sorted(checked_files()):
        name = path.relative_to(ROOT).as_posix()
        if name not in EXEMPT:
            for line, word, instead in listed_words(path.read_text(encoding="utf-8")):
                found.append(f"{name}:{line}: {word!r}; write instead: {instead}")
    assert not found, "\n".join(["words that docs/architecture/glossary.md replaces:", *found])


def test_every_exempt_file_exists() -> None:
    assert [name for name in EXEMPT if not (ROOT / name).is_file()] == []


def test_a_listed_word_is_found_in_names_and_prose() -> None:
    text = "class Somebody:\n    is_told = True  # of its deeds\n"
    found = [(line, word) for line, word, _ in listed_words(text)]
    assert found == [(1, "Somebody"), (2, "told"), (2, "deeds")]


def test_a_part_of_another_word_is_not_found() -> None:
    assert list(listed_words("indeed, it is untold")) == []
