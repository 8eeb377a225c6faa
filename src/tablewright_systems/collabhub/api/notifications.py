"""Notifications."""

from fastapi import APIRouter

from tablewright_systems.collabhub.design.notifications import Notification
from tablewright_systems.collabhub.service import notifications
from tablewright_systems.collabhub.service.schemas import View
from tablewright_systems.http_api import CurrentCaller, Cursor, Db, Limit, PageReply

router = APIRouter()


class Count(View):
    """How many there are; 100 stands for more, too."""

    count: int


@router.get("/notifications", tags=["Notifications"])
def list_notifications(
    db: Db, caller: CurrentCaller, cursor: Cursor = None, limit: Limit = 20
) -> PageReply[Notification]:
    """The caller's notifications, the newest first."""
    return PageReply.of(notifications.list_notifications(db, caller, limit, cursor))


@router.get("/notifications/unread", tags=["Notifications"])
def list_unread(
    db: Db, caller: CurrentCaller, cursor: Cursor = None, limit: Limit = 20
) -> PageReply[Notification]:
    """Those that the caller has not read."""
    return PageReply.of(notifications.list_unread(db, caller, limit, cursor))


@router.get("/notifications/unread/count", tags=["Notifications"])
def count_unread(db: Db, caller: CurrentCaller) -> Count:
    """How many those are."""
    return Count(count=notifications.count_unread(db, caller))


@router.post("/notifications/read", tags=["Notifications"])
def mark_all_read(db: Db, caller: CurrentCaller) -> Count:
    """The caller has read everything."""
    return Count(count=notifications.mark_all_read(db, caller))


@router.post("/notifications/{notification_id}/read", tags=["Notifications"])
def mark_read(db: Db, caller: CurrentCaller, notification_id: str) -> Notification:
    """The caller has read a notification."""
    return notifications.mark_read(db, caller, notification_id)
