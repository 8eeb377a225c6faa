"""Policy texts: wildcards, variables, and matching without backtracking that grows."""

import fnmatch

from hypothesis import given
from hypothesis import strategies as st

from tablewright.dynamodb.policies.policy_texts import PolicyText, Variable, is_match, wildcards
from tablewright.dynamodb.policies.principals import RequestContext


@given(st.text("ab*?", max_size=8), st.text("ab", max_size=10))
def test_wildcards_match_as_file_names_do(pattern: str, text: str) -> None:
    assert is_match(wildcards(pattern), text) == fnmatch.fnmatchcase(text, pattern)


def test_matching_many_wildcards_does_not_take_exponential_time() -> None:
    assert not is_match(wildcards("*a" * 30 + "b"), "a" * 2000)


def test_variables_have_keys_and_defaults() -> None:
    text = PolicyText.parse("a/${aws:username}/${ aws:userid , 'x y' }/${*}")
    assert text.parts == (
        "a/",
        Variable("aws:username"),
        "/",
        Variable("aws:userid", "x y"),
        "/",
        Variable("", "*"),
    )
    assert text.text(RequestContext({"aws:username": "ada"})) == "a/ada/x y/*"


def test_a_variable_without_one_value_matches_nothing() -> None:
    text = PolicyText.parse("${k}*")
    assert not text.matches("x", RequestContext({}))
    assert not text.matches("x", RequestContext({"k": ["x", "y"]}))
    assert text.matches("xy", RequestContext({"k": "x"}))


def test_without_variables_a_text_is_literal() -> None:
    assert PolicyText.parse("${k}", has_variables=False).matches("${k}", RequestContext({"k": "x"}))
