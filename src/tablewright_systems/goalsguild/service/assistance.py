"""Threads of assistance: a talk between a user and the assistant, which nobody else can read."""

from tablewright import Repository, fields, writes
from tablewright_systems.api_errors import Gone, NotFound
from tablewright_systems.authentication import Caller
from tablewright_systems.goalsguild.design.rooms import (
    AssistMsg,
    AssistThread,
    ThreadById,
    ThreadHistory,
    ThreadsOfUser,
)
from tablewright_systems.goalsguild.service.deeds import Feed, Step, active, create, read, require_role


def open_thread(db: Repository, caller: Caller, *, title: str) -> AssistThread:
    """Begin to talk with the assistant."""
    thread = AssistThread(user_id=caller.user_id, title=title)
    return create(db, thread, active(caller.user_id))


def my_thread(db: Repository, caller: Caller, thread_id: str) -> AssistThread:
    """A thread of the caller."""
    thread = _thread(db, thread_id)
    if thread.user_id != caller.user_id:
        raise NotFound(f"thread {thread_id}")
    return thread


def my_threads(
    db: Repository, caller: Caller, *, limit: int = 20, cursor: str | None = None
) -> Feed[AssistThread]:
    """The threads of the caller, the newest first."""
    return read(db, ThreadsOfUser(user_id=caller.user_id), limit, cursor)


def say(db: Repository, caller: Caller, thread_id: str, text: str) -> AssistMsg:
    """Say something in a thread of the caller."""
    return _say(db, caller, my_thread(db, caller, thread_id), text, active(caller.user_id))


def answer(db: Repository, caller: Caller, thread_id: str, text: str) -> AssistMsg:
    """Answer in anybody's thread, as the assistant."""
    require_role(caller, "assistant")
    return _say(db, caller, _thread(db, thread_id), text)


def close_thread(db: Repository, caller: Caller, thread_id: str) -> AssistThread:
    """End a talk; it can still be read."""
    return db.update(my_thread(db, caller, thread_id), set={"closed": True})


def history(
    db: Repository, caller: Caller, thread_id: str, *, limit: int = 20, cursor: str | None = None
) -> Feed[AssistMsg]:
    """What was said in a thread, to its user and to the assistant."""
    if "assistant" not in caller.roles:
        my_thread(db, caller, thread_id)
    return read(db, ThreadHistory(thread_id=thread_id), limit, cursor)


def erase_threads(db: Repository, user_id: str) -> None:
    """Remove all threads of a user; each is closed first, so that nothing comes to it any more."""
    for thread in db.iterate(ThreadsOfUser(user_id=user_id)):
        db.update(thread, set={"closed": True})
        said = db.iterate(ThreadHistory(thread_id=thread.id))
        db.batch(writes.Delete(message) for message in said)
        db.delete(thread)


def _thread(db: Repository, thread_id: str) -> AssistThread:
    thread = db.run(ThreadById(thread_id=thread_id))
    if thread is None:
        raise NotFound(f"thread {thread_id}")
    return thread


def _say(db: Repository, caller: Caller, thread: AssistThread, text: str, *leave: Step) -> AssistMsg:
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
