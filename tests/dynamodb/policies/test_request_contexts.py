"""Request contexts: names in any case, and keys without values."""

from tablewright.dynamodb.policies.request_contexts import RequestContext


def test_names_are_not_case_sensitive() -> None:
    context = RequestContext({"dynamodb:LeadingKeys": ["a", "b"], "aws:username": "ada"})
    assert context.values("DYNAMODB:leadingkeys") == ("a", "b")
    assert context.value("aws:UserName") == "ada"
    assert context.value("dynamodb:LeadingKeys") is None


def test_a_key_without_values_is_absent() -> None:
    assert RequestContext({"dynamodb:LeadingKeys": []}).values("dynamodb:LeadingKeys") is None


def test_merged_keys_replace_others() -> None:
    context = RequestContext({"a": "1", "b": "2"}).merged({"B": "3", "c": "4"})
    assert [context.value(key) for key in "abc"] == ["1", "3", "4"]
