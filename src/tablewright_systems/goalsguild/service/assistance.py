"""Assistant threads: private conversations between a user and the assistant."""

from tablewright import Repository, fields, reads, writes
from tablewright_systems.goalsguild.design.rooms import (
    AssistMsg,
    AssistThread,
    ThreadById,
    ThreadHistory,
    ThreadsOfUser,
)
from tablewright_systems.goalsguild.service.transactions import (
    Action,
    account_is_active,
    create,
    require_role,
)
from tablewright_systems.service.callers import Caller
from tablewright_systems.service.errors import Gone, NotFound
from tablewright_systems.service.paging import FIRST_PAGE, Paging


def open_thread(db: Repository, caller: Caller, *, title: str) -> AssistThread:
    """Open a thread with the assistant."""
    thread = AssistThread(user_id=caller.user_id, title=title)
    return create(db, thread, account_is_active(caller.user_id))


def my_thread(db: Repository, caller: Caller, thread_id: str) -> AssistThread:
    """Return a thread of the caller."""
    thread = _thread(db, thread_id)
    if thread.user_id != caller.user_id:
        raise NotFound(f"thread {thread_id}")
    return thread


def my_threads(db: Repository, caller: Caller, paging: Paging = FIRST_PAGE) -> reads.Page[AssistThread]:
    """Return the threads of the caller, newest first."""
    return paging.run(db, ThreadsOfUser(user_id=caller.user_id))


def say(db: Repository, caller: Caller, thread_id: str, text: str) -> AssistMsg:
    """Post a message in a thread of the caller."""
    return _say(db, caller, my_thread(db, caller, thread_id), text, account_is_active(caller.user_id))


def answer(db: Repository, caller: Caller, thread_id: str, text: str) -> AssistMsg:
    """Post a reply in the thread of any user, as the assistant."""
    require_role(caller, "assistant")
    return _say(db, caller, _thread(db, thread_id), text)


def close_thread(db: Repository, caller: Caller, thread_id: str) -> AssistThread:
    """Close a thread; it stays readable."""
    return db.update(my_thread(db, caller, thread_id), set={"closed": True})


def history(
    db: Repository, caller: Caller, thread_id: str, paging: Paging = FIRST_PAGE
) -> reads.Page[AssistMsg]:
    """Return the messages of a thread, to its user and to the assistant."""
    if "assistant" not in caller.roles:
        my_thread(db, caller, thread_id)
    return paging.run(db, ThreadHistory(thread_id=thread_id))


def erase_threads(db: Repository, user_id: str) -> None:
    """Delete all threads of a user; each is closed first, which blocks new messages."""
    for thread in db.iterate(ThreadsOfUser(user_id=user_id)):
        db.update(thread, set={"closed": True})
        messages = db.iterate(ThreadHistory(thread_id=thread.id))
        db.batch(writes.Delete(message) for message in messages)
        db.delete(thread)


def _thread(db: Repository, thread_id: str) -> AssistThread:
    thread = db.run(ThreadById(thread_id=thread_id))
    if thread is None:
        raise NotFound(f"thread {thread_id}")
    return thread


def _say(db: Repository, caller: Caller, thread: AssistThread, text: str, *leave: Action) -> AssistMsg:
    now = db.now()
    message = AssistMsg(
        id=fields.ulid(now.timestamp()),
        thread_id=thread.id,
        user_id=caller.user_id,
        text=text,
        created_at=now,
    )
    still_open = writes.Check(ThreadById(thread_id=thread.id), AssistThread.closed == False)  # noqa: E712
    return create(db, message, *leave, (still_open, Gone("this thread is closed")))
