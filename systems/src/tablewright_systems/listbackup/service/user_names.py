"""Names of users in replies that refer to users by their ids."""

from collections.abc import Iterable
from typing import Any, TypeVar

from tablewright import Repository, reads
from tablewright_systems.listbackup.design.users import UserById
from tablewright_systems.web import View

V = TypeVar("V", bound=View)


def with_names(db: Repository, view: type[V], entities: Iterable[Any]) -> list[V]:
    """Build views of items, with the names of their users, by one batch read.

    The view has a field `user_name`, and may have `username`; both are null for a user who does not exist any more.
    """
    items = list(entities)
    user_ids = sorted({item.user_id for item in items if item.user_id})
    users = db.get_all([UserById(user_id=user_id) for user_id in user_ids])
    names = {
        user.user_id: {"user_name": user.name, "username": user.display_username} for user in users if user
    }
    unknown = {"user_name": None, "username": None}
    views = []
    for item in items:
        shown = names.get(item.user_id, unknown)
        rest = {name: getattr(item, name) for name in view.model_fields if name not in unknown}
        views.append(view(**rest, **{name: shown[name] for name in unknown if name in view.model_fields}))
    return views


def page_with_names(db: Repository, view: type[V], page: reads.Page[Any]) -> reads.Page[V]:
    """Build a page of views with the names of their users."""
    return reads.Page(tuple(with_names(db, view, page)), page.cursor)
