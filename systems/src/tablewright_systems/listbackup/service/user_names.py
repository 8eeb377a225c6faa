"""Names of users in replies that refer to users by their ids."""

from collections.abc import Iterable
from contextlib import suppress
from typing import Any, TypeVar

from tablewright import Repository, errors, reads
from tablewright_systems.listbackup.design.users import User, UserById
from tablewright_systems.web import View

V = TypeVar("V", bound=View)


def with_names(db: Repository, view: type[V], entities: Iterable[Any]) -> list[V]:
    """Build views of items, with the names of their users, by one batch read.

    The view has a field `user_name`, and may have `username`; both are null for a user who does not exist any more, or
    whose stored row cannot be read.
    """
    items = list(entities)
    names = {
        user.user_id: {"user_name": user.name, "username": user.display_username}
        for user in _users(db, sorted({item.user_id for item in items if item.user_id}))
        if user is not None
    }
    unknown = {"user_name": None, "username": None}
    views = []
    for item in items:
        shown = names.get(item.user_id, unknown)
        rest = {name: getattr(item, name) for name in view.model_fields if name not in unknown}
        views.append(view(**rest, **{name: shown[name] for name in unknown if name in view.model_fields}))
    return views


def _users(db: Repository, user_ids: list[str]) -> list[User | None]:
    try:
        return db.get_all([UserById(user_id=user_id) for user_id in user_ids])
    except errors.UnknownItem:
        return [user for user_id in user_ids for user in _readable(db, user_id)]


def _readable(db: Repository, user_id: str) -> list[User | None]:
    with suppress(errors.UnknownItem):
        return [db.run(UserById(user_id=user_id))]
    return []


def page_with_names(db: Repository, view: type[V], page: reads.Page[Any]) -> reads.Page[V]:
    """Build a page of views with the names of their users."""
    return reads.Page(tuple(with_names(db, view, page)), page.cursor)
