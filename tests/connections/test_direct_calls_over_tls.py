"""Direct calls over TLS: certificates are verified as botocore is configured, and connections are used again."""

import ipaddress
import socket
import ssl
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from unittest.mock import patch

import boto3
import pytest
from botocore.credentials import Credentials
from botocore.session import Session
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tablewright import errors
from tablewright.connections.remote import Remote
from tests.connections.scripted_server import ScriptedServer, http_reply

GET: dict[str, Any] = {"TableName": "Music", "Key": {"id": {"S": "1"}}}
KEYS: dict[str, Any] = {"aws_access_key_id": "key", "aws_secret_access_key": "secret"}
AWS_HOSTS = ("dynamodb.eu-north-1.amazonaws.com", "123456789012.ddb.eu-north-1.amazonaws.com")


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    """A file with a self-signed certificate of 127.0.0.1 and of endpoints of AWS, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    hosts = [x509.DNSName(host) for host in AWS_HOSTS]
    address = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1")), *hosts])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(address, critical=False)
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    file = tmp_path / "certificate.pem"
    file.write_bytes(made.public_bytes(serialization.Encoding.PEM) + private)
    return file


def server_of(certificate: Path, *replies: bytes) -> ScriptedServer:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    return ScriptedServer(*replies, tls=context)


def test_a_trusted_connection_is_used_again(certificate: Path, no_aws_settings: None) -> None:
    body = b'{"Item":{"text":{"S":"' + b"long" * 100_000 + b'"}}}'
    with server_of(certificate, http_reply(b"{}"), http_reply(body)) as server:
        remote = Remote("us-east-1", server.url, verify=str(certificate), **KEYS)
        assert remote.call("GetItem", GET) == {}
        for _ in range(3):
            assert remote.call("GetItem", GET)["Item"]["text"]["S"] == "long" * 100_000
        assert remote.why_not_direct() is None
        assert (server.connections, len(server.requests)) == (1, 4)
        remote.close()


def test_an_unknown_certificate_is_rejected_before_anything_is_sent(
    certificate: Path, no_aws_settings: None
) -> None:
    with server_of(certificate, http_reply(b"{}")) as server:
        remote = Remote("us-east-1", server.url, **KEYS)
        with pytest.raises(errors.LostConnection, match="SSL validation failed") as lost:
            remote.call("GetItem", GET)
        assert not lost.value.was_sent
        assert not server.requests
        remote.close()


def test_requests_to_aws_are_direct_and_follow_the_account(
    certificate: Path, no_aws_settings: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    with server_of(certificate, http_reply(b'{"Item":{"a":{"S":"b"}}}')) as server:
        address = ("127.0.0.1", int(server.url.rpartition(":")[2]))
        connect = socket.create_connection
        monkeypatch.setattr("urllib3.util.connection.create_connection", lambda *_, **__: connect(address))
        credentials = Credentials("key", "secret")
        session = Session()
        session._credentials = credentials
        remote = Remote(
            "eu-north-1", session=boto3.Session(botocore_session=session), verify=str(certificate)
        )
        for credentials.account_id in (None, "123456789012"):
            for _ in range(2):
                assert remote.call("GetItem", GET) == {"Item": {"a": {"S": "b"}}}
        assert remote.why_not_direct() is None
        hosts = [head.split("\r\n")[1] for head, _ in server.requests]
        assert hosts == [f"Host: {host}" for host in AWS_HOSTS for _ in range(2)]
        assert server.connections == 2
        with patch.object(remote, "call_boto3") as through_boto3:
            remote.call("GetItem", GET)
        assert not through_boto3.called
        remote.close()
