"""Random texts from a grammar, and mutations of texts that keep most of their structure.

A grammar is text: `rule = word word | word`. A word that names a rule stands for a text of that rule; every other word
stands for itself. A rule may have several lines. The first rule is the start.
"""

import re
from random import Random

_PIECE = re.compile(r"\w+|\s+|[^\w\s]")
_BRACKETS = (("(", ")"), ("[", "]"), ("{", "}"), ("<<", ">>"), ("NOT (", ")"), ("size(", ")"))
_ENDLESS = 1_000_000


class Grammar:
    """Rules, each with its alternatives; `joins` are the texts that may separate two words."""

    def __init__(self, text: str, joins: tuple[str, ...] = (" ", " ", " ", "", "\n")) -> None:
        self.rules: dict[str, list[list[str]]] = {}
        for line in filter(str.strip, text.splitlines()):
            name, _, alternatives = line.partition(" = ")
            self.rules.setdefault(name.strip(), []).extend(each.split() for each in alternatives.split(" | "))
        self.start = next(iter(self.rules))
        self.joins = joins
        self._heights = self._heights_of_rules()

    @property
    def words(self) -> list[str]:
        """The words that stand for themselves."""
        words = {word for rule in self.rules.values() for alternative in rule for word in alternative}
        return sorted(words - set(self.rules))

    def text(self, random: Random, rule: str | None = None, depth: int = 8) -> str:
        """A random text of a rule; after `depth` levels, the shortest alternatives are chosen."""
        parts: list[str] = []
        self._expand(rule or self.start, random, depth, parts)
        return "".join(part + random.choice(self.joins) for part in parts[:-1]) + "".join(parts[-1:])

    def any_text(self, random: Random) -> str:
        """A random text of a random rule."""
        return self.text(random, random.choice(list(self.rules)), random.randrange(1, 6))

    def _expand(self, word: str, random: Random, depth: int, parts: list[str]) -> None:
        rule = self.rules.get(word)
        if rule is None:
            parts.append(word)
            return
        if depth <= 0:
            least = min(map(self._height, rule))
            rule = [alternative for alternative in rule if self._height(alternative) == least]
        for each in random.choice(rule):
            self._expand(each, random, depth - 1, parts)

    def _height(self, alternative: list[str]) -> int:
        return max((self._heights.get(word, 0) for word in alternative), default=0)

    def _heights_of_rules(self) -> dict[str, int]:
        self._heights = dict.fromkeys(self.rules, _ENDLESS)
        for _ in self.rules:
            for name, rule in self.rules.items():
                self._heights[name] = min(self._heights[name], 1 + min(map(self._height, rule)))
        assert max(self._heights.values()) < _ENDLESS
        return self._heights


def mutated(text: str, grammar: Grammar, random: Random) -> str:
    """A text with a piece replaced, inserted, deleted, moved, repeated or nested; or a new text."""
    pieces = _PIECE.findall(text)
    if not pieces or random.random() < 0.15:
        return grammar.text(random)
    start = random.randrange(len(pieces))
    end = min(len(pieces), start + random.choice((1, 1, 1, 2, 3, 8)))
    before, piece, after = "".join(pieces[:start]), "".join(pieces[start:end]), "".join(pieces[end:])
    match random.randrange(60):
        case number if number < 18:
            return before + grammar.any_text(random) + after
        case number if number < 30:
            return before + piece + random.choice(grammar.joins) + grammar.any_text(random) + after
        case number if number < 36:
            return before + after
        case number if number < 42:
            return before + random.choice(grammar.words) + after
        case number if number < 48:
            place = random.randrange(len(pieces))
            rest = pieces[:start] + pieces[end:]
            return "".join(rest[:place]) + piece + "".join(rest[place:])
        case number if number < 54:
            opening, closing = random.choice(_BRACKETS)
            return before + opening + piece + closing + after
        case _:
            return before + piece * random.randrange(2, 12) + after


def enlarged(text: str, random: Random, longest: int) -> str:
    """A text of about the greatest length: one piece of the text repeated or nested as often as it fits."""
    pieces = _PIECE.findall(text) or ["("]
    start = random.randrange(len(pieces))
    end = min(len(pieces), start + random.choice((1, 1, 2, 3, 8)))
    before, piece, after = "".join(pieces[:start]), "".join(pieces[start:end]), "".join(pieces[end:])
    room = longest - len(before) - len(after)
    if random.random() < 0.5:
        return before + piece * (room // len(piece)) + after
    opening, closing = _BRACKETS[0] if random.random() < 0.5 else random.choice(_BRACKETS)
    times = max(0, room - len(piece)) // len(opening + closing)
    return before + opening * times + piece + closing * times + after
