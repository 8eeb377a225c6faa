"""The settings of a reader: they reach another process, and give the same service."""

import pickle
from pathlib import Path

from tablewright.server.authentication.credentials import Credential
from tablewright.server.http_replies import Reply
from tablewright.server.http_requests import Request
from tablewright.server.workers.reader_settings import ReaderSettings, ServiceSettings


def post(host: bytes) -> Request:
    headers = {b"host": host, b"x-amz-target": b"DynamoDB_20120810.ListTables"}
    return Request(b"POST", b"/", headers | {b"content-type": b"application/x-amz-json-1.0"}, b"{}")


def test_settings_are_the_same_after_they_were_sent() -> None:
    keys = {"AKID": Credential("AKID", "secret")}
    service = ServiceSettings("eu-west-1", ("db.test",), ("https://app.test",), keys, None, {})
    settings = ReaderSettings(Path("data.db"), service, 7, verbose=True)
    assert pickle.loads(pickle.dumps(settings)) == settings


def test_the_service_checks_hosts_and_signatures() -> None:
    open_service = ServiceSettings("us-east-1", ("db.test",)).service()
    assert not isinstance(open_service.admit(post(b"db.test")), Reply)
    rejected = open_service.admit(post(b"other.test"))
    assert isinstance(rejected, Reply)
    assert b"not this server" in rejected.body
    closed = ServiceSettings("us-east-1", (), (), {"AKID": Credential("AKID", "secret")}).service()
    unsigned = closed.admit(post(b"localhost"))
    assert isinstance(unsigned, Reply)
    assert b"MissingAuthenticationToken" in unsigned.body
