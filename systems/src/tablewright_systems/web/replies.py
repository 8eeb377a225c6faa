"""Replies that several endpoints send: pages, lists, counts, and lists of several kinds of entities.

    CREATED = MixedEntries(Goal=Goal, Task=Task)

    @router.get("/timeline", reply=CREATED)
    def my_timeline(db: Db, caller: CurrentCaller) -> Timeline: ...

In JSON an entry is `{"kind": "Goal", "entry": {...}}`, so that generated clients know its form. In the OpenAPI document
the list is a `oneOf` with `kind` as its discriminator.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cache, cached_property
from typing import Annotated, Any, Generic, Literal, TypeVar, Union, get_args, get_origin

from pydantic import BaseModel, Field, create_model

from tablewright import Query, reads
from tablewright_systems.service.paging import MAX_LIMIT
from tablewright_systems.service.schemas import View

T = TypeVar("T")


class ListReply(View, Generic[T]):
    """A whole list: what one request has created, claimed or changed."""

    items: list[T] = Field(max_length=MAX_LIMIT)


class CountReply(View):
    """A number of resources."""

    count: int


class PageReply(View, Generic[T]):
    """One page of a list."""

    items: list[T]
    cursor: str | None = Field(description="Pass it to get the next page; null on the last page.")


@cache
def _entry_model(kind: str, model: type[BaseModel]) -> type[View]:
    """Return the model of an entry; one for each kind, so that it has one schema in a document."""
    parts: dict[str, Any] = {
        "kind": (Literal[kind], Field(description="The form of `entry`.")),
        "entry": (model, ...),
    }
    return create_model(
        f"{model.__name__}Entry", __base__=View, __doc__=f"An entry of the kind {kind}.", **parts
    )


class MixedEntries:
    """The kinds of a mixed list, by the name that clients read.

    >>> class Goal(BaseModel):
    ...     title: str
    >>> MixedEntries(Goal=Goal).entry(Goal(title="Swim")).model_dump()
    {'kind': 'Goal', 'entry': {'title': 'Swim'}}
    """

    def __init__(self, **kinds: type[BaseModel]) -> None:
        self._models: Mapping[type[BaseModel], tuple[str, type[View]]] = {
            model: (kind, _entry_model(kind, model)) for kind, model in kinds.items()
        }

    @cached_property
    def model(self) -> Any:
        """The type of an entry."""
        options = tuple(model for _, model in self._models.values())
        return Annotated[Union[options], Field(discriminator="kind")]  # noqa: UP007 - from a tuple

    @cached_property
    def page(self) -> Any:
        """The type of a page of entries, named by their kinds."""
        kinds = "".join(kind for kind, _ in self._models.values())
        base = PageReply[self.model]  # type: ignore[name-defined]  # made at run time
        return create_model(f"PageReply_{kinds}", __base__=base, __doc__=PageReply.__doc__)

    def entry(self, entity: BaseModel) -> View:
        """Return an entity as an entry."""
        kind, model = self._models[type(entity)]
        return model.model_validate({"kind": kind, "entry": entity})


@dataclass(frozen=True, slots=True)
class ReplyForm:
    """How the result of a function becomes a reply: the model of the reply, and what builds it."""

    model: Any
    build: Callable[[Any], Any]
    is_pattern: bool = False
    """Whether the function returns the pattern of a list, which has to be run."""


def reply_form(returned: Any, reply: "type[View] | MixedEntries | None") -> ReplyForm:
    """Return the form of the reply of a function that returns a type; `reply` is the view of it, or of each item."""
    pattern = _listed(returned)
    item = get_args(returned)[0] if get_origin(returned) in (reads.Page, list) else pattern
    model: Any = item or returned
    build: Callable[[Any], Any] = _unchanged
    if isinstance(reply, MixedEntries):
        model, build = reply.model, reply.entry
    elif reply is not None:
        model, build = reply, lambda result: _view(reply, result)
    if get_origin(returned) is list:
        model = ListReply[model]
        return ReplyForm(model, lambda items: ListReply(items=[build(item) for item in items]))
    if item is not None:
        model = reply.page if isinstance(reply, MixedEntries) else PageReply[model]
        return ReplyForm(
            model,
            lambda page: PageReply(items=[build(item) for item in page], cursor=page.cursor),
            is_pattern=pattern is not None,
        )
    if returned is int and reply is None:
        return ReplyForm(CountReply, lambda count: CountReply(count=count))
    return ReplyForm(model, build)


def _unchanged(result: Any) -> Any:
    return result


def _view(model: type[View], result: Any) -> View:
    """Return the view of an object with its attributes; a view with one field has a plain value in it."""
    if result is None or isinstance(result, str | int | Enum):
        (field,) = model.model_fields
        return model.model_validate({field: result})
    return model.model_validate(result, by_name=True, by_alias=False)  # attributes have the names of Python


def _listed(returned: Any) -> Any:
    """Return the type of the items that a pattern of a list returns, or None for any other type."""
    if get_origin(returned) in (reads.Merged, reads.Chained):
        return get_args(returned)[0]
    if not (isinstance(returned, type) and issubclass(returned, Query)):
        return None
    bases = (base.__pydantic_generic_metadata__ for base in returned.__mro__ if issubclass(base, Query))
    return next(metadata["args"][0] for metadata in bases if metadata["args"])
