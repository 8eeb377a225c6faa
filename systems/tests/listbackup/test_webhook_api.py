"""Webhooks over HTTP: the URL for the platform, its deliveries without a token, and their limit."""

from fastapi.testclient import TestClient
from tablewright_systems.listbackup.proofs.fixtures import fake_platforms

from systems.tests.listbackup.api_client import NewOwner
from tablewright import Repository

SECRET = "whsec_of_the_endpoint"


def test_a_platform_delivers_changes(db: Repository, client: TestClient, create_owner: NewOwner) -> None:
    ada, account = create_owner()
    eve, _ = create_owner()
    place = f"/accounts/{account.account_id}/sources"
    source = ada.call(
        "POST",
        place,
        201,
        sourceName="Shop",
        platform="stripe",
        connectionType="apikey",
        credentials={"type": "apikey", "encryptedData": "sk_test_listbackup"},
        config={"syncInterval": "realtime"},
    )
    path = f"{place}/{source['sourceId']}/webhook"
    assert ada.call("PUT", path, 422, signingSecret=None)["field"] == "signingSecret"
    eve.call("PUT", path, 403, signingSecret=SECRET)
    url = ada.call("PUT", path, signingSecret=SECRET)["url"]
    assert url == f"http://testserver/webhooks/{source['sourceId']}"
    sent = fake_platforms(db).stripe.delivery("evt_1", SECRET)
    headers = {**sent.headers, "content-type": "application/json; charset=utf-8"}
    assert client.post(url, content=sent.body, headers=headers).json() == {"accepted": True}
    assert client.post(url, content=sent.body, headers=headers).json() == {"accepted": False}
    assert client.post(url, content=sent.body + b" ", headers=headers).status_code == 401
    assert client.post(url, json={}).status_code == 401
    assert SECRET not in str(ada.call("GET", f"{place}/{source['sourceId']}"))
    assert SECRET not in str(ada.call("GET", f"/accounts/{account.account_id}/activities"))
    ada.call("DELETE", path, 204)
    sent = fake_platforms(db).stripe.delivery("evt_2", SECRET)
    assert client.post(url, content=sent.body, headers={**headers, **sent.headers}).status_code == 401


def test_keap_verifies_its_endpoint(client: TestClient, create_owner: NewOwner) -> None:
    ada, account = create_owner()
    place = f"/accounts/{account.account_id}/sources"
    key = {"type": "apikey", "encryptedData": "sk_test_listbackup"}
    body = {"sourceName": "CRM", "platform": "keap", "connectionType": "apikey", "credentials": key}
    source = ada.call("POST", place, 201, **body)
    url = ada.call("PUT", f"{place}/{source['sourceId']}/webhook", signingSecret=None)["url"]
    reply = client.post(url, headers={"x-hook-secret": "s1"})
    assert (reply.status_code, reply.headers["x-hook-secret"]) == (200, "s1")
    assert client.post(f"{url}1", headers={"x-hook-secret": "s1"}).status_code == 401
