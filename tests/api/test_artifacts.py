"""Artifacts over HTTP, on a directory and on S3: who may store what, and how it is served."""

import asyncio
import hashlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

import httpx
import pytest
import pytest_asyncio
from msgspec.structs import replace

from corral.config import Secret, ServerConfig
from tests.api.client import AS_NODE, AS_OPERATOR, Node, Operator, artifact_key
from tests.api.conftest import CONFIG, Serving
from tests.api.process import running

PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256))
HTML = b"<html><script>alert(1)</script></html>"
Job = dict[str, Any]


@pytest.fixture(params=["directory", "s3"])
def config(request: pytest.FixtureRequest, tmp_path: Path) -> ServerConfig:
    settings = replace(CONFIG, data_dir=str(tmp_path / "data"), max_artifact_bytes=100_000)
    if request.param == "directory":
        return settings
    endpoint, bucket = request.getfixturevalue("s3_endpoint"), request.getfixturevalue("bucket")
    return replace(settings, storage_url=Secret(f"s3://{bucket}/farm?endpoint={endpoint}&region=us-east-1"))


@pytest_asyncio.fixture
async def http(serving: Serving, config: ServerConfig) -> AsyncIterator[httpx.AsyncClient]:
    async with serving(config) as client:
        yield client


@pytest_asyncio.fixture
async def job(operator: Operator, node: Node) -> Job:
    """A job that the node holds."""
    await node.register("R58M1")
    await operator.given_run()
    (job,) = (await node.pull())["jobs"]
    return dict(job)


async def given_artifact(node: Node, job: Job, data: bytes = PNG, *, number: int = 0, **fields: object) -> str:
    """Stored and reported; its key."""
    key = artifact_key(job, number=number)
    assert (await node.put(key, data, job=job)).status_code == 201
    assert await node.call_back(node.event(job, "artifact_created", key=key, **fields)) == ["applied"]
    return key


async def test_a_stored_artifact_is_shown_listed_and_served(operator: Operator, node: Node, job: Job) -> None:
    key = artifact_key(job)
    stored = await node.put(key, PNG, job=job)
    sha256 = hashlib.sha256(PNG).hexdigest()
    assert (stored.status_code, stored.json()) == (
        201,
        {"key": key, "size_bytes": len(PNG), "sha256": sha256, "content_type": "image/png"},
    )
    assert (await operator.get("/api/artifacts")).json() == {"artifacts": [], "next": None}  # nobody told of it yet
    await node.call_back(node.event(job, "artifact_created", key=key, kind="screenshot", step="look"))

    (shown,) = (await operator.monitor({"run_id": job["run_id"]}))["last_artifacts"]
    content = await operator.get(shown["url"])
    assert (content.status_code, content.content) == (200, PNG)
    assert content.headers["content-type"] == "image/png"
    assert content.headers["content-disposition"].startswith("inline")
    assert content.headers["etag"] == f'"{sha256}"'
    assert content.headers["content-length"] == str(len(PNG))
    assert content.headers["cache-control"] == "private, max-age=31536000, immutable"
    assert content.headers["content-security-policy"] == "default-src 'none'; sandbox"
    assert content.headers.get_list("x-content-type-options") == ["nosniff"]
    told = (await operator.get(f"/api/artifacts/{shown['artifact_id']}")).json()
    assert (told["key"], told["step"], told["serial"], told["sha256"]) == (key, "look", "R58M1", sha256)
    for query in ({"run_id": job["run_id"]}, {"job_id": job["job_id"]}, {"kind": "screenshot"}):
        (listed,) = (await operator.get("/api/artifacts", params=query)).json()["artifacts"]
        assert listed == told
    assert (await operator.get("/api/artifacts", params={"device_id": str(uuid4())})).json()["artifacts"] == []


async def test_a_repeated_upload_is_answered_alike_and_another_one_is_refused(node: Node, job: Job) -> None:
    key = artifact_key(job)
    first = await node.put(key, PNG, job=job)

    again = await node.put(key, PNG, job=job)
    other = await node.put(key, b"other", job=job)

    assert (again.status_code, again.json()) == (200, first.json())
    assert (other.status_code, other.json()["error"]["code"]) == (409, "object_exists")


async def test_of_several_uploads_of_one_key_at_once_one_wins(operator: Operator, node: Node, job: Job) -> None:
    key = artifact_key(job)
    bodies = [PNG + bytes([n % 2]) for n in range(8)]

    answers = await asyncio.gather(*(node.put(key, body, job=job) for body in bodies))

    statuses = sorted(answer.status_code for answer in answers)
    assert statuses == [200, 200, 200, 201, 409, 409, 409, 409]
    winner = {answer.json()["sha256"] for answer in answers if answer.is_success}
    await node.call_back(node.event(job, "artifact_created", key=key))
    (artifact,) = (await operator.get("/api/artifacts")).json()["artifacts"]
    content = await operator.get(artifact["url"])
    assert {hashlib.sha256(content.content).hexdigest()} == winner == {artifact["sha256"]}


async def test_an_upload_whose_answer_was_lost_before_it_was_noted_is_found_to_be_there(
    serving: Serving, config: ServerConfig, node: Node, job: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    from corral.engine.gateway.artifacts import Artifacts  # noqa: PLC0415 - to break it
    from corral.model.errors import DatabaseUnavailableError  # noqa: PLC0415 - as above

    async def goes_away(*_args: object, **_fields: object) -> None:
        raise DatabaseUnavailableError("PostgreSQL went away")

    with monkeypatch.context() as broken:
        broken.setattr(Artifacts, "store_artifact", goes_away)
        assert (await node.put(artifact_key(job), PNG, job=job)).status_code == 503

    assert (await node.put(artifact_key(job), b"other", job=job)).status_code == 409
    assert (await node.put(artifact_key(job), PNG, job=job)).status_code == 200


@pytest.mark.parametrize(
    ("change", "code", "path"),
    [
        ({"x_content_sha256": "0" * 64}, "checksum_mismatch", None),
        ({"x_content_sha256": "zz"}, "invalid_request", "sha256"),
        ({"x_job_id": "7"}, "invalid_request", "job_id"),
        ({"x_lease_token": ""}, "invalid_request", "lease_token"),
    ],
)
async def test_a_wrong_announcement_is_refused_by_name(
    node: Node, job: Job, change: dict[str, str], code: str, path: str | None
) -> None:
    answer = await node.put(artifact_key(job), PNG, job=job, **change)

    assert (answer.status_code, answer.json()["error"]["code"]) == (400, code)
    assert answer.json()["error"].get("path") == path
    assert (await node.put(artifact_key(job), PNG, job=job)).status_code == 201  # nothing was left in its place


async def test_every_header_of_an_upload_is_needed(http: httpx.AsyncClient, job: Job) -> None:
    headers = {"x-job-id": job["job_id"], "x-lease-token": job["lease_token"], "x-content-sha256": "0" * 64}
    for left_out in headers:
        told = {name: value for name, value in headers.items() if name != left_out}
        answer = await http.put(f"/api/artifacts/{artifact_key(job)}", content=b"x", headers={**AS_NODE, **told})
        assert answer.status_code == 400
        assert left_out in answer.json()["error"]["message"].lower()


async def test_an_upload_without_a_length_is_refused(node: Node, job: Job) -> None:
    async def chunks() -> AsyncIterator[bytes]:
        yield PNG

    answer = await node.put(artifact_key(job), chunks(), job=job, x_content_sha256="0" * 64)

    assert (answer.status_code, answer.json()["error"]["path"]) == (400, "Content-Length")


async def test_an_artifact_over_the_limit_is_refused_before_it_is_read(node: Node, job: Job) -> None:
    answer = await node.put(artifact_key(job), b"x" * 100_001, job=job)

    assert (answer.status_code, answer.json()["error"]["code"]) == (413, "object_too_large")
    assert (await node.put(artifact_key(job), b"x" * 100_000, job=job)).status_code == 201


@pytest.mark.parametrize(
    "spoil",
    [
        lambda key: key.replace("_/", "%2e%2e/", 1),
        lambda key: key.replace("R58M1", "%2e%2e"),
        lambda key: key.replace("R58M1", "a%5cb"),
        lambda key: key.replace("R58M1", "%00"),
        lambda key: key.replace(".png", "%2e%2e"),
        lambda key: key.replace("2026", "2026%0a"),
        lambda key: key.replace("0102T", "9902T"),
        lambda _: "_/a/b/c/d",
    ],
)
async def test_what_is_no_key_is_refused(node: Node, job: Job, spoil: Any) -> None:  # noqa: ANN401 - a function of text
    answer = await node.put(spoil(artifact_key(job)), PNG, job=job)

    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "key_invalid")


@pytest.mark.parametrize(
    "spoil", [lambda key: key.replace("R58M1", "..%2f.."), lambda key: f"{key}/more", lambda _: "a"]
)
async def test_a_way_out_of_the_store_leads_nowhere(node: Node, job: Job, spoil: Any) -> None:  # noqa: ANN401 - as above
    assert (await node.put(spoil(artifact_key(job)), PNG, job=job)).status_code in {404, 405}


async def test_another_nodes_token_or_key_stores_nothing(http: httpx.AsyncClient, node: Node, job: Job) -> None:
    await Node(http, "node-2").register("R58M2")
    refused = {
        "another node's name": await node.put(artifact_key(job, node_id="node-2"), PNG, job=job),
        "an invented token": await node.put(artifact_key(job), PNG, job={**job, "lease_token": str(uuid4())}),
        "another job": await node.put(artifact_key(job), PNG, job={**job, "job_id": str(uuid4())}),
        "another device": await node.put(artifact_key({**job, "serial": "R58M2"}), PNG, job=job),
        "another run": await node.put(artifact_key({**job, "run_id": str(uuid4())}), PNG, job=job),
    }

    for what, answer in refused.items():
        assert (answer.status_code, answer.json()["error"]["code"]) == (409, "lease_lost"), what


async def test_a_node_may_be_called_content(http: httpx.AsyncClient, operator: Operator) -> None:
    node = await Node(http, "content").register("R58M1")
    await operator.given_run()
    (job,) = (await node.pull())["jobs"]

    assert (await node.put(artifact_key(job, node_id="content"), PNG, job=job)).status_code == 201


async def test_what_could_run_script_is_a_download_whatever_it_is_called(
    operator: Operator, node: Node, job: Job
) -> None:
    await given_artifact(node, job, HTML, kind="screenshot", content_type="image/png")

    (artifact,) = (await operator.get("/api/artifacts")).json()["artifacts"]
    content = await operator.get(artifact["url"])

    assert artifact["content_type"] == "text/plain"
    assert content.headers["content-type"] == "text/plain; charset=utf-8"
    assert content.headers["content-disposition"].startswith("attachment")
    assert content.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ("bytes=0-9", range(10)),
        ("bytes=10-", range(10, len(PNG))),
        ("bytes=-10", range(len(PNG) - 10, len(PNG))),
        ("bytes=5-99999", range(5, len(PNG))),
        ("bytes=-99999", range(len(PNG))),
    ],
)
async def test_a_range_is_served(operator: Operator, node: Node, job: Job, asked: str, expected: range) -> None:
    await given_artifact(node, job)
    (artifact,) = (await operator.get("/api/artifacts")).json()["artifacts"]

    answer = await operator.get(artifact["url"], extra={"range": asked})

    assert (answer.status_code, answer.content) == (206, PNG[expected.start : expected.stop])
    assert answer.headers["content-range"] == f"bytes {expected[0]}-{expected[-1]}/{len(PNG)}"


@pytest.mark.parametrize("asked", ["bytes=9-5", "bytes=0-1,5-6", "lines=1-2", "bytes=-", "bytes"])
async def test_what_is_no_single_range_is_served_whole(operator: Operator, node: Node, job: Job, asked: str) -> None:
    await given_artifact(node, job)
    (artifact,) = (await operator.get("/api/artifacts")).json()["artifacts"]

    answer = await operator.get(artifact["url"], extra={"range": asked})

    assert (answer.status_code, answer.content) == (200, PNG)


@pytest.mark.parametrize("asked", [f"bytes={len(PNG)}-", "bytes=-0", "bytes=99999-100000"])
async def test_a_range_past_the_end_is_refused_with_the_size(
    operator: Operator, node: Node, job: Job, asked: str
) -> None:
    await given_artifact(node, job)
    (artifact,) = (await operator.get("/api/artifacts")).json()["artifacts"]

    answer = await operator.get(artifact["url"], extra={"range": asked})

    assert (answer.status_code, answer.headers["content-range"]) == (416, f"bytes */{len(PNG)}")


async def test_who_has_it_already_is_told_so(operator: Operator, node: Node, job: Job) -> None:
    await given_artifact(node, job)
    (artifact,) = (await operator.get("/api/artifacts")).json()["artifacts"]
    etag = f'"{artifact["sha256"]}"'

    unchanged = await operator.get(artifact["url"], extra={"if-none-match": etag})
    changed = await operator.get(artifact["url"], extra={"range": "bytes=0-1", "if-range": '"other"'})
    rest = await operator.get(artifact["url"], extra={"range": "bytes=0-1", "if-range": etag})

    assert (unchanged.status_code, unchanged.content) == (304, b"")
    assert (changed.status_code, rest.status_code) == (200, 206)


async def test_artifacts_are_paged(operator: Operator, node: Node, job: Job) -> None:
    events = [node.event(job, "artifact_created", key=artifact_key(job, number=n)) for n in range(5)]
    assert await node.call_back(*events) == ["applied"] * 5

    seen: list[str] = []
    query: dict[str, Any] = {"limit": 2}
    while True:
        page = (await operator.get("/api/artifacts", params=query)).json()
        seen += [artifact["key"] for artifact in page["artifacts"]]
        if page["next"] is None:
            break
        query["before"] = page["next"]

    assert sorted(seen) == [artifact_key(job, number=n) for n in range(5)]
    wrong = await operator.get("/api/artifacts", params={"before": "yesterday"})
    assert (wrong.status_code, wrong.json()["error"]["path"]) == (400, "before")


async def test_an_artifact_that_was_told_of_and_never_stored_is_not_found(
    operator: Operator, node: Node, job: Job
) -> None:
    await node.call_back(node.event(job, "artifact_created", key=artifact_key(job)))
    (artifact,) = (await operator.get("/api/artifacts")).json()["artifacts"]

    answer = await operator.get(artifact["url"])

    assert artifact["is_stored"] is False
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "object_not_found")


async def test_two_servers_share_one_store(
    serving: Serving, config: ServerConfig, operator: Operator, node: Node, job: Job
) -> None:
    await given_artifact(node, job)

    async with serving(config) as second:
        (artifact,) = (await Operator(second).get("/api/artifacts")).json()["artifacts"]
        assert (await Operator(second).get(artifact["url"])).content == PNG
        assert (await Node(second).put(artifact_key(job), PNG, job=job)).status_code == 200


async def test_a_direct_upload_is_offered_where_the_store_has_urls(
    http: httpx.AsyncClient, operator: Operator, node: Node, job: Job, config: ServerConfig
) -> None:
    told = {
        "key": artifact_key(job),
        "job_id": job["job_id"],
        "lease_token": job["lease_token"],
        "size_bytes": len(PNG),
        "sha256": hashlib.sha256(PNG).hexdigest(),
    }
    answer = await http.post("/api/artifacts/uploads", json=told, headers=AS_NODE)
    direct = answer.json()["direct"]
    assert answer.status_code == 200
    if config.storage_url is None:
        assert direct is None
        accepted = await http.post(f"/api/artifacts/uploads/{uuid4().hex}/accept", json=told, headers=AS_NODE)
        assert (accepted.status_code, accepted.json()["error"]["code"]) == (404, "object_not_found")
        return

    accept = f"/api/artifacts/uploads/{direct['upload_id']}/accept"
    assert (await http.post(accept, json=told, headers=AS_NODE)).status_code == 404  # nothing came yet
    async with httpx.AsyncClient() as store:
        (await store.put(direct["url"], content=PNG, headers=direct["headers"])).raise_for_status()
    accepted = await http.post(accept, json=told, headers=AS_NODE)
    again = await http.post(accept, json=told, headers=AS_NODE)

    assert (accepted.status_code, again.status_code) == (201, 200)
    assert (
        accepted.json()
        == again.json()
        == {
            "key": told["key"],
            "size_bytes": len(PNG),
            "sha256": told["sha256"],
            "content_type": "image/png",
        }
    )
    assert (await http.post("/api/artifacts/uploads", json=told, headers=AS_NODE)).json() == {"direct": None}


async def test_a_direct_upload_needs_the_lease_too_and_fits_what_was_announced(
    http: httpx.AsyncClient, node: Node, job: Job, config: ServerConfig
) -> None:
    told = {
        "key": artifact_key(job),
        "job_id": job["job_id"],
        "lease_token": str(uuid4()),
        "size_bytes": 5,
        "sha256": "0" * 64,
    }
    refused = await http.post("/api/artifacts/uploads", json=told, headers=AS_NODE)
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "lease_lost")
    told["lease_token"] = job["lease_token"]
    too_large = await http.post("/api/artifacts/uploads", json={**told, "size_bytes": 100_001}, headers=AS_NODE)
    assert too_large.status_code == 413
    direct = (await http.post("/api/artifacts/uploads", json=told, headers=AS_NODE)).json()["direct"]
    if config.storage_url is None:
        return
    async with httpx.AsyncClient() as store:
        (await store.put(direct["url"], content=b"other")).raise_for_status()

    answer = await http.post(f"/api/artifacts/uploads/{direct['upload_id']}/accept", json=told, headers=AS_NODE)

    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "checksum_mismatch")
    assert (await node.put(artifact_key(job), PNG, job=job)).status_code == 201


async def test_a_download_comes_from_the_store_itself_if_it_can_and_somebody_asks(
    serving: Serving, operator: Operator, node: Node, job: Job, config: ServerConfig
) -> None:
    await given_artifact(node, job)
    (artifact,) = (await operator.get("/api/artifacts")).json()["artifacts"]

    asked = await operator.get(artifact["url"], params={"direct": True})
    async with serving(replace(config, direct_downloads=True)) as second:
        by_setting = await Operator(second).get(artifact["url"])
        not_asked = await Operator(second).get(artifact["url"], params={"direct": False})

    assert not_asked.content == PNG
    if config.storage_url is None:
        assert (asked.content, by_setting.content) == (PNG, PNG)
        return
    assert (asked.status_code, by_setting.status_code) == (307, 307)
    assert asked.headers["cache-control"] == "no-store"
    async with httpx.AsyncClient() as store:
        served = await store.get(asked.headers["location"])
    assert (served.content, served.headers["content-type"]) == (PNG, "image/png")


async def test_a_server_whose_store_is_away_is_not_ready(http: httpx.AsyncClient, config: ServerConfig) -> None:
    assert (await http.get("/ready")).status_code == 200
    if config.storage_url is None:
        root = Path(config.storage_location)
        root.rename(root.with_name("elsewhere"))  # noqa: ASYNC240 - a test has its loop to itself
    else:
        endpoint = urlsplit(config.storage_location.split("endpoint=")[1].split("&")[0])
        async with httpx.AsyncClient() as store:
            bucket = urlsplit(config.storage_location).netloc
            (await store.delete(f"{endpoint.scheme}://{endpoint.netloc}/{bucket}")).raise_for_status()

    # What was found a moment ago is believed for some seconds.
    from corral.storage import storage as believed  # noqa: PLC0415 - to believe nothing

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(believed, "_BELIEVED_S", 0.0)
        answer = await http.get("/ready")

    assert (answer.status_code, answer.json()["error"]["code"]) == (503, "storage_unavailable")


async def test_an_upload_that_breaks_off_leaves_nothing(farm_dsn: str) -> None:
    async with running("--database-url", farm_dsn) as server, server.client() as http:
        node = await Node(http).register("R58M1")
        await Operator(http).given_run()
        (job,) = (await node.pull())["jobs"]
        host, port = server.url.removeprefix("http://").split(":")
        headers = {
            "Host": host,
            "X-Node-Auth": AS_NODE["x-node-auth"],
            "X-Job-Id": job["job_id"],
            "X-Lease-Token": job["lease_token"],
            "X-Content-Sha256": hashlib.sha256(PNG).hexdigest(),
            "Content-Length": str(len(PNG)),
        }
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        reader, writer = await asyncio.open_connection(host, int(port))
        writer.write(f"PUT /api/artifacts/{artifact_key(job)} HTTP/1.1\r\n{lines}\r\n".encode() + PNG[:100])
        writer.write_eof()
        await reader.read()  # until the server has given up on it
        writer.close()

        whole = await node.put(artifact_key(job), PNG, job=job)

        assert whole.status_code == 201
        await server.stop()
    assert "Traceback" not in "".join(server.lines)


@pytest_asyncio.fixture
async def local(serving: Serving) -> AsyncIterator[httpx.AsyncClient]:
    """A caller on the machine of a server without secrets."""
    async with serving(ServerConfig()) as http:
        yield http


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 201),
        ({"origin": "http://127.0.0.1:8080"}, 201),
        ({"origin": "https://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"sec-fetch-site": "cross-site"}, 403),
        ({"host": "evil.example"}, 403),
        ({"content-type": "text/plain"}, 415),
        ({"content-type": "multipart/form-data; boundary=x"}, 415),
        ({"content-type": "application/x-www-form-urlencoded"}, 415),
        ({"content-type": ""}, 415),
    ],
)
async def test_without_secrets_no_other_web_page_can_store_bytes(
    local: httpx.AsyncClient, headers: dict[str, str], status: int
) -> None:
    told = {"content-type": "application/octet-stream", **headers}

    assert (await local.put("/api/files/app.apk", content=b"PK", headers=told)).status_code == status


async def test_without_secrets_raw_bytes_are_no_json_and_nobody_elsewhere_is_allowed_to_send_them(
    local: httpx.AsyncClient,
) -> None:
    raw = {"content-type": "application/octet-stream"}
    assert (await local.post("/api/nodes/scan", content=b"{}", headers=raw)).status_code == 415
    asked = {"origin": "https://evil.example", "access-control-request-method": "PUT"}
    preflight = await local.request("OPTIONS", "/api/files/app.apk", headers=asked)

    assert [name for name in preflight.headers if name.startswith("access-control-")] == []


async def test_a_node_credential_fetches_no_artifacts(http: httpx.AsyncClient, node: Node, job: Job) -> None:
    await given_artifact(node, job)

    assert (await http.get("/api/artifacts", headers=AS_NODE)).status_code == 403
    assert (await node.put(artifact_key(job, number=1), PNG, job=job)).status_code == 201
    answer = await http.put(f"/api/artifacts/{artifact_key(job)}", content=PNG, headers=AS_OPERATOR)
    assert answer.status_code == 403
