"""The two stores that the one suite runs on: a directory, and a real S3 protocol server on loopback."""

from __future__ import annotations

import logging
import threading
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import make_server

from corral.storage import Store, open_store
from corral.storage.s3 import S3Store

ACCESS_KEY = "AKIAEXAMPLE"
SECRET_KEY = "wJalrXUtnFEMIexamplekey"


@pytest.fixture(scope="session")
def s3_endpoint() -> Iterator[str]:
    # One request at a time: S3 judges `If-None-Match` and writes in one act, and moto only does so without threads.
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = make_server("127.0.0.1", 0, DomainDispatcherApplication(create_backend_app), threaded=False)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def bucket(s3_endpoint: str, monkeypatch: pytest.MonkeyPatch) -> str:
    for name in ("AWS_SESSION_TOKEN", "AWS_PROFILE", "AWS_ENDPOINT", "AWS_ENDPOINT_URL", "AWS_REGION"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", ACCESS_KEY)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET_KEY)
    name = f"bucket-{uuid4().hex}"
    with urllib.request.urlopen(urllib.request.Request(f"{s3_endpoint}/{name}", method="PUT", data=b"")):
        return name


@pytest.fixture
def s3_store(s3_endpoint: str, bucket: str) -> Store:
    return open_store(f"s3://{bucket}/some/prefix?endpoint={s3_endpoint}&region=us-east-1")


@pytest.fixture
def s3_store_of_large_objects(s3_endpoint: str, bucket: str) -> Store:
    """Every object with a byte in it takes the way that large ones take."""
    return S3Store(bucket, endpoint=s3_endpoint, region="us-east-1", single_put_bytes=1)


@pytest.fixture
def local_store(tmp_path: Path) -> Store:
    return open_store(str(tmp_path / "objects"))


@pytest.fixture(params=["local_store", "s3_store", "s3_store_of_large_objects"])
def store(request: pytest.FixtureRequest) -> Store:
    store: Store = request.getfixturevalue(request.param)
    return store
