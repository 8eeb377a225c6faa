"""Assistant threads: private conversations between a user and the assistant."""

from tablewright import Repository, fields, reads, writes
from tablewright_systems.goalsguild.design.rooms import (
    AssistMsg,
    AssistThread,
    ThreadById,
    ThreadHistory,
    ThreadsOfUser,
)
from tablewright_systems.goalsguild.service.permissions import update_as, write_as
from tablewright_systems.service import (
    FIRST_PAGE,
    Caller,
    Gone,
    NotFound,
    Paging,
    erase_all,
    require_found,
    transact,
)


def open_thread(db: Repository, caller: Caller, *, title: str) -> AssistThread:
    """Open a thread with the assistant."""
    thread, *_ = write_as(db, caller, writes.Create(AssistThread(user_id=caller.user_id, title=title)))
    return thread


def my_thread(db: Repository, caller: Caller, thread_id: str) -> AssistThread:
    """Return a thread of the caller."""
    thread = _thread(db, thread_id)
    if thread.user_id != caller.user_id:
        raise NotFound(f"thread {thread_id}")
    return thread


def say(db: Repository, caller: Caller, thread_id: str, text: str) -> AssistMsg:
    """Post a message in a thread of the caller."""
    my_thread(db, caller, thread_id)
    said, *_ = write_as(db, caller, *_message(db, caller, thread_id, text))
    return said


def answer(db: Repository, caller: Caller, thread_id: str, text: str) -> AssistMsg:
    """Post a reply in the thread of any user, as the assistant."""
    caller.require_role("assistant")
    _thread(db, thread_id)
    said, *_ = transact(db, *_message(db, caller, thread_id, text))
    return said


def close_thread(db: Repository, caller: Caller, thread_id: str) -> AssistThread:
    """Close a thread; it stays readable."""
    return update_as(
        db,
        caller,
        ThreadById(thread_id=thread_id),
        changes={"closed": True},
        when=AssistThread.user_id == caller.user_id,
        otherwise=NotFound(f"thread {thread_id}"),
    )


def history(
    db: Repository, caller: Caller, thread_id: str, paging: Paging = FIRST_PAGE
) -> reads.Page[AssistMsg]:
    """Return the messages of a thread, to its user and to the assistant."""
    if "assistant" not in caller.roles:
        my_thread(db, caller, thread_id)
    return paging.run(db, ThreadHistory(thread_id=thread_id))


def erase_threads(db: Repository, user_id: str) -> None:
    """Delete all threads of a user; each is closed first, which blocks new messages."""
    for thread in db.iterate(ThreadsOfUser(user_id=user_id), unknown="skip"):
        db.update(thread, set={"closed": True})
        erase_all(db, ThreadHistory(thread_id=thread.id))
        db.delete(thread)


def _thread(db: Repository, thread_id: str) -> AssistThread:
    return require_found(db.run(ThreadById(thread_id=thread_id)), f"thread {thread_id}")


def _message(
    db: Repository, caller: Caller, thread_id: str, text: str
) -> tuple[writes.Create[AssistMsg], writes.Check[AssistThread]]:
    """Return the writes that post a message, if the thread is open."""
    now = db.now()
    message = AssistMsg(
        id=fields.ulid(now.timestamp()),
        thread_id=thread_id,
        user_id=caller.user_id,
        text=text,
        created_at=now,
    )
    is_open = AssistThread.closed == False  # noqa: E712
    check = writes.Check(ThreadById(thread_id=thread_id), is_open, otherwise=Gone("this thread is closed"))
    return writes.Create(message), check
