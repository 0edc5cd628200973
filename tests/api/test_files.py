"""Input files over HTTP: uploaded once, in one piece or bit by bit, and found by name or sha256."""

import asyncio
import hashlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import pytest_asyncio
from msgspec.structs import replace

from corral.config import Secret, ServerConfig
from tests.api.client import AS_NODE, AS_OPERATOR, SMOKE, Node, Operator
from tests.api.conftest import CONFIG, Serving
from tests.api.process import running

APK = b"PK\x03\x04" + b"AndroidManifest.xml" + bytes(1000)
SHA = hashlib.sha256(APK).hexdigest()


@pytest.fixture(params=["directory", "s3"])
def config(request: pytest.FixtureRequest, tmp_path: Path) -> ServerConfig:
    settings = replace(CONFIG, data_dir=str(tmp_path / "data"), max_file_bytes=100_000)
    if request.param == "directory":
        return settings
    endpoint, bucket = request.getfixturevalue("s3_endpoint"), request.getfixturevalue("bucket")
    return replace(settings, storage_url=Secret(f"s3://{bucket}?endpoint={endpoint}&region=us-east-1"))


@pytest_asyncio.fixture
async def http(serving: Serving, config: ServerConfig) -> AsyncIterator[httpx.AsyncClient]:
    async with serving(config) as client:
        yield client


async def put(http: httpx.AsyncClient, name: str, data: object, **headers: str) -> httpx.Response:
    told = {name.replace("_", "-"): value for name, value in headers.items()}
    return await http.put(f"/api/files/{name}", content=data, headers={**AS_OPERATOR, **told})  # type: ignore[arg-type]


async def begin(operator: Operator, data: bytes = APK, **fields: object) -> dict[str, Any]:
    answer = await operator.post("/api/files", {"name": "app.apk", "size_bytes": len(data), **fields})
    assert answer.status_code == 201
    upload: dict[str, Any] = answer.json()
    return upload


async def append(http: httpx.AsyncClient, upload: dict[str, Any], data: object, *, offset: int) -> httpx.Response:
    path, headers = f"/api/files/uploads/{upload['upload_id']}", {**AS_OPERATOR, "upload-offset": str(offset)}
    return await http.patch(path, content=data, headers=headers)  # type: ignore[arg-type]


async def test_a_file_is_uploaded_in_one_request_and_found_by_name_and_sha256(http: httpx.AsyncClient) -> None:
    saved = await put(http, "app.apk", APK)

    assert saved.status_code == 201
    file = saved.json()
    assert (file["name"], file["sha256"], file["size_bytes"], file["is_newest"]) == ("app.apk", SHA, len(APK), True)
    assert (file["content_type"], file["created_by"]) == ("application/vnd.android.package-archive", "operator")
    for ref in ("app.apk", SHA):
        for credential in (AS_NODE, AS_OPERATOR):
            assert (await http.get(f"/api/files/{ref}", headers=credential)).json() == file
            content = await http.get(f"/api/files/{ref}/content", headers=credential)
            assert (content.status_code, content.content) == (200, APK)
            assert content.headers["content-disposition"].startswith('attachment; filename="app.apk"')
            assert content.headers["etag"] == f'"{SHA}"'
    by_name = await http.get("/api/files/app.apk/content", headers=AS_NODE)
    by_sha256 = await http.get(f"/api/files/{SHA}/content", headers={**AS_NODE, "range": "bytes=0-3"})
    assert by_name.headers["cache-control"] == "private, no-cache"
    assert by_sha256.headers["cache-control"].endswith("immutable")
    assert (by_sha256.status_code, by_sha256.content) == (206, b"PK\x03\x04")


async def test_a_name_means_its_newest_contents_and_older_ones_stay_reachable(
    http: httpx.AsyncClient, operator: Operator
) -> None:
    await put(http, "app.apk", APK)
    await put(http, "app.apk", b"newer")
    await put(http, "other.txt", b"other")

    assert (await http.get("/api/files/app.apk/content", headers=AS_NODE)).content == b"newer"
    assert (await http.get(f"/api/files/{SHA}/content", headers=AS_NODE)).content == APK
    versions = (await operator.get("/api/files", params={"name": "app.apk"})).json()["files"]
    assert [(file["size_bytes"], file["is_newest"]) for file in versions] == [(5, True), (len(APK), False)]
    first = (await operator.get("/api/files", params={"limit": 2})).json()
    second = (await operator.get("/api/files", params={"limit": 2, "after": first["next"]})).json()
    assert [file["name"] for file in (*first["files"], *second["files"])] == ["other.txt", "app.apk", "app.apk"]
    assert second["next"] is None


async def test_names_may_be_of_any_script(http: httpx.AsyncClient) -> None:
    assert (await put(http, "앱 1.apk", APK)).status_code == 201
    content = await http.get("/api/files/앱 1.apk/content", headers=AS_NODE)

    assert content.content == APK
    assert "filename*=UTF-8''%EC%95%B1%201.apk" in content.headers["content-disposition"]


@pytest.mark.parametrize("name", ["a%0ab", "a%5cb", "%00", "x" * 201, "0" * 64, "%c2%85"])
async def test_what_is_no_name_is_refused(http: httpx.AsyncClient, name: str) -> None:
    answer = await put(http, name, APK)

    assert (answer.status_code, answer.json()["error"]["path"]) == (400, "ref")
    assert (await http.get("/api/files", headers=AS_OPERATOR)).json()["files"] == []


@pytest.mark.parametrize("name", ["uploads", "..", "a/b", "../x", "0" * 64])
async def test_a_name_that_could_not_be_asked_for_is_refused(operator: Operator, name: str) -> None:
    answer = await operator.post("/api/files", {"name": name, "size_bytes": 1})

    assert (answer.status_code, answer.json()["error"]["path"]) == (400, "name")


async def test_an_upload_goes_on_where_it_was_interrupted(http: httpx.AsyncClient, operator: Operator) -> None:
    upload = await begin(operator, sha256=SHA)
    assert upload["offset"] == 0

    async def breaks_off() -> AsyncIterator[bytes]:
        yield APK[:100]
        yield APK[100:300]

    assert (await append(http, upload, breaks_off(), offset=0)).json()["offset"] == 300
    early = await operator.post(f"/api/files/uploads/{upload['upload_id']}/finish")
    assert (early.status_code, early.json()["error"]["code"]) == (409, "upload_incomplete")
    assert early.headers["upload-offset"] == "300"
    wrong = await append(http, upload, APK[200:], offset=200)
    assert (wrong.status_code, wrong.json()["error"]["code"]) == (409, "upload_offset")
    assert wrong.headers["upload-offset"] == "300"
    stands = await operator.get(f"/api/files/uploads/{upload['upload_id']}")
    assert (stands.json()["offset"], stands.headers["upload-offset"]) == (300, "300")

    await append(http, upload, APK[300:], offset=300)
    finished = await operator.post(f"/api/files/uploads/{upload['upload_id']}/finish")
    again = await operator.post(f"/api/files/uploads/{upload['upload_id']}/finish")

    assert (finished.status_code, finished.json()["sha256"]) == (200, SHA)
    assert again.json()["sha256"] == SHA
    assert (await http.get("/api/files/app.apk/content", headers=AS_NODE)).content == APK


async def test_an_upload_may_go_on_at_another_server_of_the_same_directory(
    serving: Serving, config: ServerConfig, http: httpx.AsyncClient, operator: Operator
) -> None:
    upload = await begin(operator)
    await append(http, upload, APK[:500], offset=0)

    async with serving(config) as second:
        assert (await append(second, upload, APK[500:], offset=500)).json()["offset"] == len(APK)
        done = await Operator(second).post(f"/api/files/uploads/{upload['upload_id']}/finish")

    assert done.json()["sha256"] == SHA


async def test_contents_that_are_stored_already_need_not_travel(http: httpx.AsyncClient, operator: Operator) -> None:
    await put(http, "app.apk", APK)

    answer = await operator.post("/api/files", {"name": "copy.apk", "size_bytes": len(APK), "sha256": SHA})

    assert answer.status_code == 200
    assert (answer.json()["upload_id"], answer.json()["file"]["name"]) == (None, "copy.apk")
    assert (await http.get("/api/files/copy.apk/content", headers=AS_NODE)).content == APK
    wrong = await operator.post("/api/files", {"name": "copy.apk", "size_bytes": 1, "sha256": SHA})
    assert (wrong.status_code, wrong.json()["error"]["path"]) == (400, "size_bytes")


async def test_a_file_over_the_limit_or_not_as_announced_is_refused(
    http: httpx.AsyncClient, operator: Operator
) -> None:
    large = await operator.post("/api/files", {"name": "large.bin", "size_bytes": 100_001})
    assert (large.status_code, large.json()["error"]["code"]) == (413, "object_too_large")
    assert (await put(http, "large.bin", b"x" * 100_001)).status_code == 413
    upload = await begin(operator, b"12345", sha256=SHA)
    more = await append(http, upload, b"123456", offset=0)
    assert (more.status_code, more.json()["error"]["code"]) == (413, "object_too_large")
    await append(http, upload, b"12345", offset=0)
    other = await operator.post(f"/api/files/uploads/{upload['upload_id']}/finish")
    assert (other.status_code, other.json()["error"]["code"]) == (400, "checksum_mismatch")
    assert (await put(http, "app.apk", APK, x_content_sha256="0" * 64)).status_code == 400
    assert (await operator.get("/api/files")).json()["files"] == []


async def test_files_may_be_larger_than_other_bodies(http: httpx.AsyncClient) -> None:
    assert CONFIG.max_body_bytes < 90_000

    assert (await put(http, "large.bin", b"x" * 90_000)).status_code == 201


async def test_deleted_contents_are_gone_under_all_names_and_may_come_again(
    http: httpx.AsyncClient, operator: Operator
) -> None:
    await put(http, "app.apk", APK)
    await put(http, "copy.apk", APK)

    assert (await http.delete(f"/api/files/{SHA}", headers=AS_OPERATOR)).status_code == 204

    for ref in ("app.apk", "copy.apk", SHA):
        assert (await http.get(f"/api/files/{ref}/content", headers=AS_NODE)).status_code == 404
    assert (await http.delete(f"/api/files/{SHA}", headers=AS_OPERATOR)).status_code == 404
    assert (await http.delete("/api/files/app.apk", headers=AS_OPERATOR)).status_code == 400
    assert (await put(http, "app.apk", APK)).status_code == 201
    assert (await http.get("/api/files/app.apk/content", headers=AS_NODE)).content == APK


async def test_an_upload_finished_again_after_the_file_was_deleted_says_so(
    http: httpx.AsyncClient, operator: Operator
) -> None:
    upload = await begin(operator)
    await append(http, upload, APK, offset=0)
    assert (await operator.post(f"/api/files/uploads/{upload['upload_id']}/finish")).status_code == 200
    await http.delete(f"/api/files/{SHA}", headers=AS_OPERATOR)

    again = await operator.post(f"/api/files/uploads/{upload['upload_id']}/finish")

    assert (again.status_code, again.json()["error"]["code"]) == (404, "upload_not_found")
    assert (await operator.get("/api/files")).json()["files"] == []


async def test_the_same_file_uploaded_by_many_at_once_is_one(http: httpx.AsyncClient, operator: Operator) -> None:
    answers = await asyncio.gather(*(put(http, f"{n}.apk", APK) for n in range(6)))

    assert [answer.status_code for answer in answers] == [201] * 6
    assert {file["sha256"] for file in (await operator.get("/api/files")).json()["files"]} == {SHA}


async def test_an_unknown_upload_or_file_is_not_found(http: httpx.AsyncClient, operator: Operator) -> None:
    unknown = {"upload_id": "0" * 32}
    assert (await append(http, unknown, b"x", offset=0)).status_code == 404
    assert (await append(http, {"upload_id": "..%2f.."}, b"x", offset=0)).status_code == 404
    assert (await operator.get("/api/files/none.apk")).status_code == 404
    assert (await operator.get("/api/files/%00")).status_code in {400, 404}


async def test_a_run_with_a_file_that_nobody_uploaded_is_refused_with_its_path(
    http: httpx.AsyncClient, operator: Operator, node: Node
) -> None:
    await node.register("R58M1")
    recipe = {
        **SMOKE,
        "name": "install",
        "steps": [
            {"id": "install", "uses": "app.install", "with": {"file": "app.apk"}},
            {"id": "push", "uses": "file.push", "with": {"file": SHA, "path": "/sdcard/x"}},
            {"id": "later", "uses": "file.push", "with": {"file": "{{ params.package }}", "path": "/sdcard/x"}},
        ],
    }
    (await operator.post("/api/workflows", recipe)).raise_for_status()

    refused = (await operator.post("/api/runs", {"workflow": "install"})).json()["error"]
    await put(http, "app.apk", APK)
    accepted = await operator.post("/api/runs", {"workflow": "install"})

    assert (refused["code"], refused["path"]) == ("files_missing", "steps[0].with.file")
    assert [problem["path"] for problem in refused["problems"]] == ["steps[0].with.file", "steps[1].with.file"]
    assert accepted.status_code == 201
    await http.delete(f"/api/files/{SHA}", headers=AS_OPERATOR)
    (job,) = (await node.pull())["jobs"]
    await node.call_back(node.event(job, "job_finished", outcome="succeeded"))
    for once_more in ("replay", "retry"):
        again = await operator.post(f"/api/runs/{accepted.json()['run_id']}/{once_more}")
        assert (again.status_code, again.json()["error"]["code"]) == (400, "files_missing")


async def test_a_connection_that_breaks_loses_nothing_that_came(farm_dsn: str) -> None:
    async with running("--database-url", farm_dsn) as server, server.client() as http:
        upload = await begin(Operator(http), size_bytes=2_000_000)
        headers = f"Upload-Offset: 0\r\nContent-Length: 2000000\r\nAuthorization: {AS_OPERATOR['authorization']}"
        host, port = server.url.removeprefix("http://").split(":")
        _, writer = await asyncio.open_connection(host, int(port))
        path = f"/api/files/uploads/{upload['upload_id']}"
        writer.write(f"PATCH {path} HTTP/1.1\r\nHost: {host}\r\n{headers}\r\n\r\n".encode() + b"x" * 1_000_000)
        await writer.drain()
        writer.close()

        offset, busy = 0, True
        while not offset or busy:  # another process has no event to wait for
            await asyncio.sleep(0.01)
            offset = (await Operator(http).get(path)).json()["offset"]
            busy = (await append(http, upload, b"", offset=offset)).status_code != 200
        rest = await append(http, upload, b"x" * (2_000_000 - offset), offset=offset)
        done = await Operator(http).post(f"{path}/finish")

    assert 0 < offset <= 1_000_000
    assert rest.json()["offset"] == 2_000_000
    assert done.json()["sha256"] == hashlib.sha256(b"x" * 2_000_000).hexdigest()
