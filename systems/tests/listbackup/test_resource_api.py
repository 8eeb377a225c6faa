"""Sources, jobs, tags, notifications and activities over HTTP: replies, errors, cursors."""

from typing import Any
from urllib.parse import quote

import pytest
from fastapi.testclient import TestClient
from tablewright_systems.listbackup.archives.object_store import Memory
from tablewright_systems.listbackup.design.accounts import Account, Plan
from tablewright_systems.listbackup.design.jobs import Job, JobStatus
from tablewright_systems.listbackup.design.memberships import AccountRole
from tablewright_systems.listbackup.jobs import start_syncs
from tablewright_systems.listbackup.platforms.platforms import platforms_for
from tablewright_systems.listbackup.proofs.fixtures import SECRET, new_member, new_worker
from tablewright_systems.listbackup.service import queue, syncs
from tablewright_systems.listbackup.worker.worker import Worker
from tablewright_systems.service import Caller, Conflict, Forbidden, Gone, JobRun
from tablewright_systems.web.authentication import LocalIssuer

from systems.tests.listbackup.api_client import ApiClient, NewOwner
from tablewright import Clock, Repository

SHOP: dict[str, Any] = {
    "sourceName": "The shop",
    "platform": "stripe",
    "connectionType": "apikey",
    "credentials": {"type": "apikey", "encryptedData": SECRET},
    "config": {"syncInterval": "hourly", "dataTypes": ["orders"]},
}
NEWS = {"category": "system", "subject": "News", "message": "Something happened."}


@pytest.fixture
def ada(create_owner: NewOwner) -> tuple[ApiClient, Account]:  # instead of the caller without a token
    return create_owner()


@pytest.fixture
def provider(client: TestClient, issuer: LocalIssuer) -> ApiClient:
    """A provider that delivers mail."""
    return ApiClient(client, issuer, Caller("mail", {"roles": ["webhook"]}))


def pages(who: ApiClient, path: str, limit: int = 2) -> list[Any]:
    """Return all items of a list, page by page."""
    joint = "&" if "?" in path else "?"
    collected: list[Any] = []
    cursor = ""
    while True:
        page = who.call("GET", f"{path}{joint}limit={limit}{cursor}")
        assert len(page["items"]) <= limit
        collected += page["items"]
        if page["cursor"] is None:
            return collected
        cursor = f"&cursor={quote(page['cursor'])}"


def test_a_source_is_created_changed_and_deleted(
    ada: tuple[ApiClient, Account], create_owner: NewOwner
) -> None:
    person, account = ada
    path = f"/accounts/{account.account_id}/sources"
    source = person.call("POST", path, 201, **SHOP)
    assert "credentials" not in source
    assert SECRET not in str(source)
    one = f"{path}/{source['sourceId']}"
    assert person.call("GET", one) == source
    assert person.call("GET", f"/sources/{source['sourceId']}") == source
    read = {"if-match": person.send("GET", one).headers["etag"]}
    assert person.send_with(read, "PATCH", one, sourceName="Our shop").json()["sourceName"] == "Our shop"
    stale = person.send_with(read, "PATCH", one, sourceName="Mine")
    assert (stale.status_code, stale.json()["code"]) == (412, "precondition_failed")
    assert person.call("POST", f"{one}/pause")["status"] == "paused"
    assert person.call("DELETE", f"{one}/pause")["status"] == "active"
    renewed = person.call("PUT", f"{one}/credentials", type="apikey", encryptedData="sk_new")
    assert "sk_new" not in str(renewed)
    eve, _ = create_owner()
    eve.rejected_field("GET", one, 403)
    eve.rejected_field("GET", f"/sources/{source['sourceId']}", 404)
    eve.rejected_field("DELETE", one, 403)
    person.call("DELETE", one, 204)
    person.rejected_field("DELETE", one, 404)
    person.rejected_field("GET", one, 404)


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"platform": "No Such"}, "platform"),
        ({"connectionType": "carrier pigeon"}, "connectionType"),
        ({"connectionType": "oauth"}, "connectionType"),
        ({"sourceName": ""}, "sourceName"),
        ({"accountId": "another"}, "accountId"),
        ({"metadata": {"customFields": {"x": "y" * 20_000}}}, "metadata.customFields"),
    ],
)
def test_an_invalid_source_is_rejected(
    ada: tuple[ApiClient, Account], change: dict[str, Any], field: str
) -> None:
    person, account = ada
    path = f"/accounts/{account.account_id}/sources"
    assert person.rejected_field("POST", path, 422, **{**SHOP, **change}) == field


def test_sources_beyond_the_plan_are_rejected(create_owner: NewOwner) -> None:
    person, account = create_owner(Plan.FREE)
    path = f"/accounts/{account.account_id}/sources"
    for _ in range(2):
        person.call("POST", path, 201, **SHOP)
    assert person.rejected_field("POST", path, 409, **SHOP) == "sources"


def test_lists_of_sources_have_cursors(ada: tuple[ApiClient, Account]) -> None:
    person, account = ada
    path = f"/accounts/{account.account_id}/sources"
    made = [person.call("POST", path, 201, **SHOP)["sourceId"] for _ in range(5)]
    for query in ("", "?platform=stripe", "?status=active"):
        listed = pages(person, f"{path}{query}")
        assert sorted(page["sourceId"] for page in listed) == sorted(made)
    cursor = person.call("GET", f"{path}?limit=2")["cursor"]
    person.rejected_field("GET", f"{path}?limit=2&status=active&cursor={quote(cursor)}", 422)
    person.rejected_field("GET", f"{path}?platform=stripe&status=active", 422)
    links = pages(person, f"/accounts/{account.account_id}/connections?platform=stripe")
    assert sorted(link["credentials"]["sourceId"] for link in links) == sorted(made)
    assert len(pages(person, "/users/me/connections")) == 5


def test_a_job_from_request_to_end(
    db: Repository, ada: tuple[ApiClient, Account], create_owner: NewOwner
) -> None:
    person, account = ada
    path = f"/accounts/{account.account_id}/jobs"
    job = person.call("POST", path, 201, jobType="backup", priority="high", maxRetries=1)
    assert job["status"] == "pending"
    assert Worker(db, Memory(), platforms_for(db)).run() == 1
    done = person.call("GET", f"/jobs/{job['jobId']}")
    assert (done["status"], done["progress"]["percentage"]) == ("completed", 100)
    assert done["result"] == {
        "recordsProcessed": 0,
        "errors": [],
        "outputLocation": None,
        "summary": {"sources": 0},
    }
    assert person.rejected_field("POST", f"{path}/{job['jobId']}/cancellation", 409) == "status"
    eve, _ = create_owner()
    eve.rejected_field("GET", f"{path}/{job['jobId']}", 403)
    eve.rejected_field("GET", f"/jobs/{job['jobId']}", 404)
    person.rejected_field("GET", f"{path}/none-such", 404)


def test_a_job_that_fails_once_is_done_by_the_next_worker(
    db: Repository, ada: tuple[ApiClient, Account], clock: Clock
) -> None:
    person, account = ada
    path = f"/accounts/{account.account_id}/jobs"
    job = person.call("POST", path, 201, jobType="backup", maxRetries=1)
    who, other = new_worker(), new_worker()
    with pytest.raises(Forbidden):
        queue.claim(db, person.caller)
    taken = queue.claim(db, who)
    assert taken is not None
    assert taken.job_id == job["jobId"]
    assert queue.claim(db, who) is None
    assert queue.heartbeat(db, who, taken, total=4, processed=1).progress.percentage == 25
    failed = queue.fail(db, who, taken, "down")
    assert (failed.status, failed.retry_count) == (JobStatus.PENDING, 1)
    clock.advance(60)
    again = queue.claim(db, other)
    assert again is not None
    with pytest.raises(Gone):
        queue.complete(db, who, taken, records_processed=4)
    queue.complete(db, other, again, records_processed=4, summary={"new": 1})
    assert person.call("GET", f"/jobs/{job['jobId']}")["result"]["summary"] == {"new": 1}


def test_jobs_are_cancelled_released_stopped_and_retried(
    db: Repository, ada: tuple[ApiClient, Account]
) -> None:
    person, account = ada
    who, path = new_worker(), f"/accounts/{account.account_id}/jobs"
    job = person.call("POST", path, 201, jobType="backup", maxRetries=0)["jobId"]

    def claimed() -> Job:
        taken = queue.claim(db, who)
        assert taken is not None
        return taken

    assert queue.release(db, who, claimed()).status is JobStatus.PENDING
    assert [waiting.job_id for waiting in db.iterate(queue.waiting_jobs(db, who))] == [job]
    taken = claimed()
    with pytest.raises(Conflict):
        queue.stop(db, who, taken)
    assert queue.fail(db, who, taken, "no").status is JobStatus.FAILED
    assert person.call("POST", f"{path}/{job}/retry")["status"] == "pending"
    taken = claimed()
    assert person.call("POST", f"{path}/{job}/cancellation")["cancelRequested"]
    assert queue.stop(db, who, taken).status is JobStatus.CANCELLED
    assert [page["jobId"] for page in pages(person, f"{path}?status=cancelled")] == [job]


def test_the_queue_is_in_order_of_urgency_and_time(
    db: Repository, ada: tuple[ApiClient, Account], clock: Clock
) -> None:
    person, account = ada
    jobs = []
    for urgency in ("low", "critical", "medium", "critical", "low", "medium", "critical"):
        path = f"/accounts/{account.account_id}/jobs"
        jobs.append(person.call("POST", path, 201, jobType="backup", priority=urgency)["jobId"])
        clock.advance(1)
    waiting = [job.job_id for job in db.iterate(queue.waiting_jobs(db, new_worker()))]
    assert waiting == [jobs[place] for place in (1, 3, 6, 2, 5, 0, 4)]


def test_due_sources_are_in_order(db: Repository, ada: tuple[ApiClient, Account], clock: Clock) -> None:
    person, account = ada
    sources = []
    for _ in range(7):
        sources.append(
            person.call("POST", f"/accounts/{account.account_id}/sources", 201, **SHOP)["sourceId"]
        )
        clock.advance(1)
    assert [source.source_id for source in db.iterate(syncs.due_sources(db, new_worker()))] == sources


def test_syncs_start_when_they_are_due(db: Repository, ada: tuple[ApiClient, Account]) -> None:
    person, account = ada
    source = person.call("POST", f"/accounts/{account.account_id}/sources", 201, **SHOP)
    with pytest.raises(Forbidden):
        syncs.due_sources(db, person.caller)
    start_syncs(JobRun(db))
    path = f"/accounts/{account.account_id}"
    again = {"jobType": "sync", "sourceId": source["sourceId"]}
    assert person.rejected_field("POST", f"{path}/jobs", 409, **again) == "sourceId"
    assert person.rejected_field("POST", f"{path}/jobs", 422, jobType="sync") == "sourceId"
    (listed,) = pages(person, f"{path}/sources/{source['sourceId']}/jobs")
    assert (listed["jobType"], listed["status"]) == ("sync", "pending")


def test_tags(ada: tuple[ApiClient, Account], create_owner: NewOwner) -> None:
    person, account = ada
    sources, path = (f"/accounts/{account.account_id}/{part}" for part in ("sources", "tags/source"))
    source = person.call("POST", sources, 201, **SHOP)["sourceId"]
    tag = person.call("POST", path, 201, tagKey="env", tagValue="a/b", color="#ff0000")
    assert person.rejected_field("POST", path, 409, tagKey="env", tagValue="a/b") == "tagValue"
    assert person.rejected_field("POST", path, 422, tagKey="a#b", tagValue="c") == "tagKey"
    assert person.rejected_field("POST", path, 422, tagKey="a", tagValue="c", color="red") == "color"
    name = f"key=env&value={quote('a/b', safe='')}"
    assert person.call("PUT", f"{path}/tag/resources/{source}?{name}")["resourceCount"] == 1
    person.rejected_field("PUT", f"{path}/tag/resources/none-such?{name}", 404)
    assert [page["resourceId"] for page in pages(person, f"{path}/tag/resources?{name}")] == [source]
    carried = person.call("GET", f"/accounts/{account.account_id}/resources/source/{source}/tags")["items"]
    assert [item["tagId"] for item in carried] == [tag["tagId"]]
    assert person.call("PATCH", f"{path}/tag?{name}", color="#00ff00")["color"] == "#00ff00"
    renamed = person.call("PUT", f"{path}/tag/name?{name}", tagKey="env", tagValue="live")
    assert renamed["tagId"] == tag["tagId"]
    person.rejected_field("GET", f"{path}/tag?{name}", 404)
    assert person.call("GET", f"/tags/{tag['tagId']}")["tagValue"] == "live"
    assert person.call("GET", f"{path}/tag?key=env&value=live")["resourceCount"] == 1
    assert [page["tagValue"] for page in pages(person, f"{path}?key=env")] == ["live"]
    assert len(person.call("GET", f"/accounts/{account.account_id}/tags?key=env")["items"]) == 1
    eve, _ = create_owner()
    eve.rejected_field("GET", f"{path}/tag?key=env&value=live", 403)
    eve.rejected_field("GET", f"/tags/{tag['tagId']}", 404)
    off = person.call("DELETE", f"{path}/tag/resources/{source}?key=env&value=live")
    assert off["resourceCount"] == 0
    person.call("DELETE", f"{path}/tag?key=env&value=live", 204)
    person.rejected_field("DELETE", f"{path}/tag?key=env&value=live", 404)


def test_notifications(
    ada: tuple[ApiClient, Account],
    create_owner: NewOwner,
    staff: ApiClient,
    provider: ApiClient,
    clock: Clock,
) -> None:
    person, account = ada
    path = f"/accounts/{account.account_id}/notifications"
    wish = {**NEWS, "userId": person.caller.user_id}
    person.rejected_field("POST", path, 403, **wish)
    made = []
    for _ in range(2):
        made += staff.call("POST", path, 201, **wish)["items"]
        clock.advance(1)
    assert [item["type"] for item in made] == ["in-app", "email"] * 2
    inbox = pages(person, "/users/me/notifications")
    assert {item["notificationId"] for item in inbox} == {item["notificationId"] for item in made}
    span = f"start={made[0]['createdAt']}&end={made[0]['createdAt']}"
    assert len(pages(person, f"/users/me/notifications?{span}")) == 2
    assert len(pages(person, "/users/me/notifications?status=pending")) == 2
    assert len(pages(person, path)) == 4
    eve, _ = create_owner()
    eve.rejected_field("GET", path, 403)
    one, other = (notification for notification in made if notification["type"] == "email")
    at = f"/notifications/{person.caller.user_id}/{one['createdAt']}/{one['notificationId']}"
    person.rejected_field("POST", f"{at}/delivery", 403)
    assert provider.call("POST", f"{at}/delivery")["status"] == "delivered"
    elsewhere = f"/notifications/{person.caller.user_id}/{other['createdAt']}/{other['notificationId']}"
    assert provider.call("POST", f"{elsewhere}/bounce", reason="full")["failureReason"] == "full"
    provider.rejected_field("POST", f"{at[:-2]}/delivery", 404)
    assert person.call("GET", "/users/me/notifications/unread/count") == {"count": 4}
    mine = f"/users/me/notifications/{one['createdAt']}/{one['notificationId']}/reading"
    assert person.call("POST", mine)["status"] == "read"
    eve.rejected_field("POST", mine, 404)
    assert len(pages(person, "/users/me/notifications/unread")) == 3
    assert person.call("POST", "/users/me/notifications/reading") == {"count": 3}


def test_activities_contain_user_and_origin(ada: tuple[ApiClient, Account], create_owner: NewOwner) -> None:
    person, account = ada
    path = f"/accounts/{account.account_id}"
    source = person.call("POST", f"{path}/sources", 201, **SHOP)["sourceId"]
    person.call("POST", f"{path}/sources/{source}/pause")
    (paused, created) = pages(person, f"{path}/resources/source/{source}/activities", 1)
    assert (paused["eventType"], created["eventType"]) == ("source.updated", "source.created")
    assert (paused["userId"], paused["userAgent"]) == (person.caller.user_id, "Test/1")
    assert paused["ipAddress"]
    assert SECRET not in str(created)
    everything = pages(person, f"{path}/activities")
    assert paused in everything
    assert pages(person, f"{path}/activities?resourceType=source") == [paused, created]
    assert paused in pages(person, "/users/me/activities")
    one = f"{path}/activities/{paused['createdAt']}/{paused['eventId']}"
    assert person.call("GET", one) == paused
    person.rejected_field("GET", one[:-1], 404)
    span = "start=2026-01-02T00:00:00Z&end=2026-01-01T00:00:00Z"
    assert person.rejected_field("GET", f"{path}/activities?{span}", 422) == "end"
    eve, _ = create_owner()
    eve.rejected_field("GET", f"{path}/activities", 403)
    eve.rejected_field("GET", one, 403)


def test_connections_are_described_by_members(ada: tuple[ApiClient, Account], create_owner: NewOwner) -> None:
    person, account = ada
    made = person.call("POST", f"/accounts/{account.account_id}/sources", 201, **SHOP)
    path = f"/connections/{made['connectionId']}"
    assert person.call("GET", path)["status"] == "active"
    described = person.call("PUT", f"{path}/metadata", accountName="Shop", accountId="acct_1")
    assert described["metadata"]["accountId"] == "acct_1"
    eve, _ = create_owner()
    eve.rejected_field("GET", path, 404)
    eve.rejected_field("PUT", f"{path}/metadata", 404, accountName="Mine")


def test_read_only_members_cannot_change_anything(
    db: Repository, ada: tuple[ApiClient, Account], client: TestClient, issuer: LocalIssuer
) -> None:
    person, account = ada
    path = f"/accounts/{account.account_id}"
    source = person.call("POST", f"{path}/sources", 201, **SHOP)["sourceId"]
    job = person.call("POST", f"{path}/jobs", 201, jobType="backup")["jobId"]
    guest = ApiClient(client, issuer, new_member(db, person.caller, account.account_id, AccountRole.READONLY))
    for look in ("sources", f"sources/{source}", "jobs", f"jobs/{job}", "tags/source", "activities"):
        guest.call("GET", f"{path}/{look}")
    guest.rejected_field("POST", f"{path}/sources", 403, **SHOP)
    guest.rejected_field("DELETE", f"{path}/sources/{source}", 403)
    guest.rejected_field("POST", f"{path}/sources/{source}/pause", 403)
    guest.rejected_field("POST", f"{path}/jobs", 403, jobType="export")
    guest.rejected_field("POST", f"{path}/jobs/{job}/cancellation", 403)
    guest.rejected_field("POST", f"{path}/tags/source", 403, tagKey="env", tagValue="live")
    guest.rejected_field("GET", f"{path}/notifications", 403)


def test_former_members_cannot_read_anything(
    db: Repository,
    ada: tuple[ApiClient, Account],
    client: TestClient,
    issuer: LocalIssuer,
    staff: ApiClient,
) -> None:
    person, account = ada
    path = f"/accounts/{account.account_id}"
    guest = ApiClient(client, issuer, new_member(db, person.caller, account.account_id, AccountRole.ADMIN))
    job = guest.call("POST", f"{path}/jobs", 201, jobType="backup")["jobId"]
    person.call("DELETE", f"{path}/users/{guest.caller.user_id}", 204)
    who = new_worker()
    taken = queue.claim(db, who)
    assert taken is not None
    assert taken.job_id == job
    queue.fail(db, who, taken, "secret", is_final=True)
    received = pages(guest, "/users/me/notifications")
    assert {item["subject"] for item in received} == {f"You are invited to {account.account_name}"}
    staff.rejected_field("POST", f"{path}/notifications", 404, **NEWS, userId=guest.caller.user_id)
