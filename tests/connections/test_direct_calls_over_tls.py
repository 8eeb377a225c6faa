"""Direct calls over TLS: certificates are verified as botocore is configured, and connections are used again."""

import ipaddress
import ssl
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tablewright import errors
from tablewright.connections.remote import Remote
from tests.connections.scripted_server import ScriptedServer, http_reply

GET: dict[str, Any] = {"TableName": "Music", "Key": {"id": {"S": "1"}}}
KEYS: dict[str, Any] = {"aws_access_key_id": "key", "aws_secret_access_key": "secret"}


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    """A file with a self-signed certificate of 127.0.0.1 and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    address = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
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
