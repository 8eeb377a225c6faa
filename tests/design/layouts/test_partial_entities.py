"""Partial entities: the fields that are there are validated, and nothing is invented for the others."""

from typing import Annotated, Any, Optional

import pytest
from pydantic import BaseModel, Field, PrivateAttr, ValidationError, model_validator

from tablewright.design.layouts.partial_entities import partial_entity


class Node(BaseModel):
    """A class that refers to itself, with validators of the whole."""

    name: Annotated[str, Field(alias="nodeName", max_length=5)]
    size: int = 7
    next: Optional["Node"] = None
    body: str
    _cache: dict[str, Any] = PrivateAttr(default_factory=dict)
    _later: str = PrivateAttr()

    @model_validator(mode="before")
    @classmethod
    def _needs_body(cls, data: Any) -> Any:
        assert data.get("body"), "body is needed"
        return data

    @model_validator(mode="after")
    def _is_whole(self) -> "Node":
        assert self.body
        return self


def test_absent_fields_have_no_value_and_others_their_default() -> None:
    node = partial_entity(Node, frozenset(("body",)), {"nodeName": "a"}, by_name=False)
    assert node.__dict__ == {"name": "a", "size": 7, "next": None}
    assert node.model_fields_set == {"name"}
    assert node._cache == {}
    node._later = "x"
    assert node._later == "x"


def test_a_nested_instance_is_whole() -> None:
    values = {"name": "a", "next": {"name": "b", "body": "x"}}
    node = partial_entity(Node, frozenset(("body", "size")), values, by_name=True)
    assert node.next == Node.model_validate({"nodeName": "b", "body": "x"})
    with pytest.raises(ValidationError, match="body"):
        partial_entity(Node, frozenset(("body",)), {"name": "a", "next": {"name": "b"}}, by_name=True)


def test_a_value_that_is_not_valid_and_a_required_field_that_lacks() -> None:
    with pytest.raises(ValidationError, match="at most 5"):
        partial_entity(Node, frozenset(("body",)), {"name": "abcdef"}, by_name=True)
    with pytest.raises(ValidationError, match="nodeName"):
        partial_entity(Node, frozenset(("body",)), {}, by_name=False)
