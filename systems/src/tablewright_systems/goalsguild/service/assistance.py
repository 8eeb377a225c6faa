"""Assistant threads: private conversations between a user and the assistant."""

from tablewright import Repository, fields, reads, writes
from tablewright_systems.goalsguild.design.rooms import (
    AssistMsg,
    AssistThread,
    ThreadById,
    ThreadHistory,
    ThreadsOfUser,
)
from tablewright_systems.goalsguild.design.tables import Prose, Title
from tablewright_systems.goalsguild.service.permissions import Id, update_as, write_as
from tablewright_systems.service import (
    FIRST_PAGE,
    Caller,
    Gone,
    NotFound,
    erase_all,
    require_found,
    transact,
)
from tablewright_systems.web import CurrentCaller, Db, PageRequest, Router, problems

router = Router("Rooms")


@router.post("/threads", status_code=201)
def open_thread(db: Db, caller: CurrentCaller, *, title: Title) -> AssistThread:
    """Open a thread with the assistant."""
    thread, *_ = write_as(db, caller, writes.Create(AssistThread(user_id=caller.user_id, title=title)))
    return thread


@router.get("/threads/{thread_id}")
def my_thread(db: Db, caller: CurrentCaller, thread_id: Id) -> AssistThread:
    """Get one of your threads."""
    thread = _thread(db, thread_id)
    if thread.user_id != caller.user_id:
        raise NotFound(f"thread {thread_id}")
    return thread


@router.post("/threads/{thread_id}/messages", status_code=201, responses=problems(403, 404, 410))
def say(db: Db, caller: CurrentCaller, thread_id: Id, text: Prose) -> AssistMsg:
    """Post a message in one of your threads."""
    my_thread(db, caller, thread_id)
    said, *_ = write_as(db, caller, *_message(db, caller, thread_id, text))
    return said


@router.post("/threads/{thread_id}/answers", status_code=201, responses=problems(403, 404, 410))
def answer(db: Db, caller: CurrentCaller, thread_id: Id, text: Prose) -> AssistMsg:
    """Post a reply in the thread of any user (assistant)."""
    caller.require_role("assistant")
    _thread(db, thread_id)
    said, *_ = transact(db, *_message(db, caller, thread_id, text))
    return said


@router.put("/threads/{thread_id}/end")
def close_thread(db: Db, caller: CurrentCaller, thread_id: Id) -> AssistThread:
    """Close one of your threads; it stays readable."""
    # It stays readable.
    return update_as(
        db,
        caller,
        ThreadById(thread_id=thread_id),
        changes={"closed": True},
        when=AssistThread.user_id == caller.user_id,
        otherwise=NotFound(f"thread {thread_id}"),
    )


@router.get("/threads/{thread_id}/messages", name="thread_history")
def history(
    db: Db, caller: CurrentCaller, thread_id: Id, paging: PageRequest = FIRST_PAGE
) -> reads.Page[AssistMsg]:
    """List the messages of one of your threads."""
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


@router.get("/threads")
def my_threads(db: Db, caller: CurrentCaller) -> ThreadsOfUser:
    """List your threads, newest first."""
    return ThreadsOfUser(user_id=caller.user_id)
