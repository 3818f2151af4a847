"""Who does not prove to be the server that was named is told nothing."""

import datetime as dt
import ipaddress
import ssl

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tests.unit.models.remote.server import DONE, STREAM, engine_at, said, serving
from tests.unit.models.remote.test_faults import check_refused, edited


@pytest.fixture
def certified(tmp_path):
    """Makes a certificate that signs itself, and the context of a server that shows it."""

    def make(name):
        key = ec.generate_private_key(ec.SECP256R1())
        called = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "editd's tests")])
        now = dt.datetime.now(dt.UTC)
        certificate = (
            x509.CertificateBuilder()
            .subject_name(called)
            .issuer_name(called)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - dt.timedelta(days=1))
            .not_valid_after(now + dt.timedelta(days=1))
            .add_extension(x509.SubjectAlternativeName([name]), critical=False)
            .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
            .sign(key, hashes.SHA256())
        )
        pem = tmp_path / "certificate.pem"
        pem.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
        secret = tmp_path / "secret.pem"
        secret.write_bytes(
            key.private_bytes(
                serialization.Encoding.PEM,
                serialization.PrivateFormat.PKCS8,
                serialization.NoEncryption(),
            )
        )
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(pem, secret)
        return pem, context

    return make


HERE = x509.IPAddress(ipaddress.ip_address("127.0.0.1"))
ELSEWHERE = x509.DNSName("models.example")


@pytest.mark.parametrize(
    ("name", "trusted", "answered"),
    [(HERE, True, True), (HERE, False, False), (ELSEWHERE, True, False)],
)
def test_a_server_has_to_prove_who_it_is(certified, monkeypatch, name, trusted, answered):
    pem, context = certified(name)
    if trusted:
        monkeypatch.setenv("SSL_CERT_FILE", str(pem))
    answer = [STREAM, said("```\na = 3\nb = 2\n```", "stop"), DONE]
    with serving(*answer, tls=context) as server:
        with engine_at(f"https://127.0.0.1:{server.port}/v1") as engine:
            result = edited(engine)
        if answered:
            assert result.text == "a = 3\nb = 2\n", result.error
        else:
            check_refused(result, "certificate", "nothing was sent")
            assert server.heads == []
