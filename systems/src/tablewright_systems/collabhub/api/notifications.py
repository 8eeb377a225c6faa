"""Notifications."""

from tablewright_systems.collabhub import design
from tablewright_systems.collabhub.design import Notification
from tablewright_systems.collabhub.service import notifications
from tablewright_systems.web import CountReply, CurrentCaller, Db, PageReply, PageRequest, Router

router = Router("Notifications", "Notifications of the caller.")


@router.get("/notifications")
def list_notifications(db: Db, caller: CurrentCaller, paging: PageRequest) -> PageReply[Notification]:
    """List the caller's notifications, newest first."""
    return PageReply.of(paging.run(db, design.Notifications(user_id=caller.user_id)))


@router.get("/notifications/unread")
def list_unread(db: Db, caller: CurrentCaller, paging: PageRequest) -> PageReply[Notification]:
    """List the caller's unread notifications, newest first."""
    return PageReply.of(paging.run(db, design.UnreadNotifications(user_id=caller.user_id)))


@router.get("/notifications/unread/count")
def count_unread(db: Db, caller: CurrentCaller) -> CountReply:
    """Count the caller's unread notifications, up to 100."""
    return CountReply(count=notifications.count_unread(db, caller))


@router.post("/notifications/read")
def mark_all_read(db: Db, caller: CurrentCaller) -> CountReply:
    """Mark all of the caller's notifications as read."""
    return CountReply(count=notifications.mark_all_read(db, caller))


@router.post("/notifications/{notification_id}/read")
def mark_read(db: Db, caller: CurrentCaller, notification_id: str) -> Notification:
    """Mark one of the caller's notifications as read."""
    return notifications.mark_read(db, caller, notification_id)
