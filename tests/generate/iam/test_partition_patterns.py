"""Partition patterns: literal prefixes, tenants, key formats, and keys that cannot be limited."""

import pytest

from tablewright.design.keys.templates import Template
from tablewright.generate.iam.partition_patterns import PartitionPattern, literal, partition_pattern

OWN = "${aws:PrincipalTag/user_id}"


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("USER#{user_id}", "USER#*"),
        ("USER#{user_id}#{year}", "USER#*#*"),
        ("{email}", "*"),
        ("CONFIG", "CONFIG"),
        ("a*b#{x}", "a${*}b#*"),
        ("cost$#{x}", "cost${$}#*"),
    ],
)
def test_without_a_tenant_the_literal_text_limits(template: str, text: str) -> None:
    assert partition_pattern(Template(template)) == PartitionPattern(text)


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("USER#{user_id}", f"USER#{OWN}"),
        ("{user_id}", OWN),
        ("USER#{user_id}#{year}", f"USER#{OWN}#*"),
        ("{user_id}#{user_id:shard(4)}", f"{OWN}#*"),
        ("USER#{user_id:08}", "USER#${aws:PrincipalTag/user_id:08}"),
        ("USER#{user_id:+07}", "USER#${aws:PrincipalTag/user_id:+07}"),
    ],
)
def test_a_key_with_the_id_of_the_tenant_is_limited(template: str, text: str) -> None:
    assert partition_pattern(Template(template), tenant="user_id") == PartitionPattern(text, is_limited=True)


@pytest.mark.parametrize(
    "template",
    [
        "STARTUP#{startup_id}",
        "CONFIG",
        "{kind}#{user_id}",  # kind could contain anything, also the id of another tenant
        "USER#{user_id:shard(4)}",  # several tenants have one shard
        "USER#{user_id:lower}",  # and one lower case
    ],
)
def test_a_key_that_is_not_limited_to_the_tenant(template: str) -> None:
    assert not partition_pattern(Template(template), tenant="user_id").is_limited


def test_binary_keys_have_no_prefix_and_numbers_are_compared_as_text() -> None:
    assert partition_pattern(Template("{user_id}"), "B", "user_id").is_open
    assert partition_pattern(Template("{user_id}"), "N", "user_id") == PartitionPattern(OWN, is_limited=True)


def test_literal_text_has_no_wildcards() -> None:
    assert literal("a*b?c$d") == "a${*}b${?}c${$}d"


@pytest.mark.parametrize(
    ("one", "two", "overlaps"),
    [
        ("USER#*", "USER#*#2026", True),
        ("USER#${aws:PrincipalTag/user_id}", "USER#*", True),
        ("USER#*", "TEAM#*", False),
        ("*", "TEAM#*", True),
        ("CONFIG", "CONFIG", True),
        ("CONFIG", "CONFIG#*", False),
        ("CONFIG#1", "CONFIG#*", True),
        ("A${*}#*", "A${*}#1", True),
        ("A${*}", "AB", False),
    ],
)
def test_patterns_overlap_if_a_key_may_match_both(one: str, two: str, overlaps: bool) -> None:
    assert PartitionPattern(one).overlaps(PartitionPattern(two)) == overlaps
    assert PartitionPattern(two).overlaps(PartitionPattern(one)) == overlaps
