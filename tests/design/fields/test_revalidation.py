"""Revalidation: a model is checked as its class does, with all that is inside it, and shares nothing with the copy."""

from functools import cached_property
from typing import Annotated, Any

import pytest
from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, RootModel, model_validator

from tablewright.design.fields.revalidation import InvalidModel, rebuilt, revalidated


class Leaf(BaseModel):
    name: str = ""
    size: int = None  # type: ignore[assignment]  # pydantic does not validate defaults


class BigLeaf(Leaf):
    colour: str = "green"


class Open(BaseModel):
    model_config = ConfigDict(extra="allow")
    leaf: Leaf = Leaf()

    @cached_property
    def label(self) -> str:
        return "label"


class Tree(BaseModel):
    model_config = ConfigDict(extra="forbid")
    leaves: list[Leaf] = Field(default_factory=list)
    by_name: dict[str, tuple[Leaf, ...]] = Field(default_factory=dict)
    choice: BigLeaf | Leaf | None = None
    counts: list[int] = Field(default_factory=list)
    anything: Any = None
    opened: Open | None = None
    few: Annotated[int, Field(ge=1)] = 0
    _private: list[int] = PrivateAttr(default_factory=list)


class Swapped(BaseModel):
    """The alias of one field is the name of another."""

    model_config = ConfigDict(populate_by_name=True)
    first: str = Field(alias="second", default="")
    second: str = Field(alias="third", default="")


class Guarded(BaseModel):
    low: int = 0
    high: int = 9

    @model_validator(mode="after")
    def _in_order(self) -> "Guarded":
        if self.low > self.high:
            raise ValueError("low is above high")
        return self


class Tags(RootModel[list[str]]):
    """A model without names."""


def places(model: BaseModel) -> list[tuple[Any, ...]]:
    with pytest.raises(InvalidModel) as caught:
        revalidated(model)
    return [problem["loc"] for problem in caught.value.problems]


def test_the_copy_is_equal_and_shares_nothing() -> None:
    leaf = Leaf(name="a")
    tree = Tree(leaves=[leaf], by_name={"x": (leaf,)}, choice=leaf, counts=[1], anything={"a": [leaf, {1}]})
    copy = revalidated(tree)
    assert copy == tree
    assert copy.model_fields_set == tree.model_fields_set
    assert copy.leaves[0].model_fields_set == {"name"}
    assert type(copy.choice) is Leaf
    leaf.name = "b"
    tree.leaves.append(leaf)
    tree.counts.append(2)
    tree.anything["a"][1].add(2)
    assert copy.leaves == [Leaf(name="a")]
    assert (copy.by_name["x"][0].name, copy.choice, copy.counts) == ("a", Leaf(name="a"), [1])
    assert copy.anything["a"] == [Leaf(name="a"), {1}]


@pytest.mark.parametrize(
    ("values", "place"),
    [
        ({"leaves": [Leaf.model_construct(name=5)]}, ("leaves", 0, "name")),
        ({"by_name": {"x": (Leaf(), Leaf.model_construct(name=5))}}, ("by_name", "x", 1, "name")),
        ({"choice": BigLeaf.model_construct(colour=1)}, ("choice", "colour")),
        ({"anything": [Leaf.model_construct(name=5)]}, ("anything", 0, "name")),
        ({"counts": ["x"]}, ("counts", 0)),
        ({"few": -1}, ("few",)),
        ({"leaves": [{"name": 5}]}, ("leaves", 0, "name")),
        ({"leaves": [{"name": "x", "size": Leaf()}]}, ("leaves", 0, "size")),
    ],
)
def test_problems_have_the_place_of_the_value(values: dict[str, Any], place: tuple[Any, ...]) -> None:
    assert places(Tree().model_copy(update=values)) == [place]


def test_an_unknown_name_is_refused_and_a_cached_value_is_not_kept() -> None:
    with pytest.raises(InvalidModel) as caught:
        revalidated(Tree().model_copy(update={"leafs": []}))
    assert caught.value.problems[0]["msg"] == "Tree has no field leafs; did you mean leaves?"
    opened = Open.model_validate({"more": [1]})
    assert opened.label == "label"
    copy = revalidated(Tree(opened=opened))
    assert copy.opened is not None
    assert copy.opened.model_extra == {"more": [1]}
    assert "label" not in copy.opened.__dict__


def test_defaults_are_not_validated_unless_they_are_given() -> None:
    assert revalidated(Tree(leaves=[Leaf()])) == Tree(leaves=[Leaf()])
    assert revalidated(Tree()).few == 0
    assert places(Tree().model_copy(update={"few": 0})) == [("few",)]
    assert revalidated(Tree()).few == 0


def test_private_attributes_are_kept() -> None:
    tree = Tree()
    tree._private.append(1)
    copy = revalidated(tree)
    assert copy._private == [1]
    assert tree.__pydantic_private__ is not copy.__pydantic_private__


def test_values_are_found_by_name_and_nested_maps_by_either() -> None:
    swapped = Swapped.model_validate({"first": "a", "third": "b"}).model_copy(update={"first": "a"})
    assert revalidated(swapped) == swapped
    assert revalidated(Tree().model_copy(update={"leaves": [{"name": "x"}]})).leaves == [Leaf(name="x")]


def test_values_can_be_replaced_and_validators_run() -> None:
    assert revalidated(Guarded(), {"low": "3"}) == Guarded(low=3)
    assert revalidated(Guarded(), {"low": 3}).model_fields_set == {"low"}
    with pytest.raises(InvalidModel) as caught:
        revalidated(Guarded(), {"low": 10})
    assert caught.value.problems[0]["loc"] == ()


def test_a_model_without_names() -> None:
    tags = Tags(["a"])
    copy = revalidated(tags)
    tags.root.append("b")
    assert copy == Tags(["a"])


def test_rebuilt_values_have_new_containers() -> None:
    value = {"a": [1, (2, {3})], "b": bytearray(b"x"), "c": frozenset({1})}
    copy = rebuilt(value)
    assert copy == value
    assert copy is not value
    assert copy["a"] is not value["a"]
    assert copy["b"] is not value["b"]
