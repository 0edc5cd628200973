"""Contents and content channels over HTTP."""

import base64
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
import pytest_asyncio
from msgspec.structs import replace

from corral.config import Secret
from tests.api.client import AS_NODE, SMOKE, Node, Operator
from tests.api.conftest import CONFIG, Serving
from tests.content.fake_youtube import API_KEY, CHANNEL_ID, HANDLE, FakeYouTube, Reply, refusal
from tests.engine.farm import Farm

PNG = b"\x89PNG\r\n\x1a\n" + b"picture"


@pytest_asyncio.fixture
async def http(serving: Serving, youtube: FakeYouTube) -> AsyncIterator[httpx.AsyncClient]:
    """A server whose YouTube is the test's."""
    async with serving(replace(CONFIG, youtube_url=youtube.url)) as client:
        yield client


@pytest.fixture
def operator(http: httpx.AsyncClient) -> Operator:
    return Operator(http)


async def register(operator: Operator, url: str) -> dict[str, Any]:
    answer = await operator.post("/api/contents", {"url": url})
    assert answer.status_code == 201, answer.text
    content: dict[str, Any] = answer.json()
    return content


async def test_a_preview_tells_what_a_video_is_and_stores_nothing(operator: Operator, youtube: FakeYouTube) -> None:
    (video_id,) = youtube.upload()

    answer = await operator.get("/api/contents/preview", params={"url": f"https://youtu.be/{video_id}?t=3"})

    preview = answer.json()
    assert (preview["youtube_video_id"], preview["title"]) == (video_id, "Playback reel 1")
    kind, _, picture = preview["thumbnail"].partition(";base64,")
    assert kind == "data:image/png"
    assert base64.b64decode(picture).startswith(b"\x89PNG")
    assert preview["is_registered"] is False
    assert (await operator.get("/api/contents")).json() == {"contents": [], "next": None}


async def test_a_preview_without_a_picture_is_better_than_none(operator: Operator, youtube: FakeYouTube) -> None:
    (video_id,) = youtube.upload()
    youtube.ail("/vi/", Reply(404))

    answer = await operator.get("/api/contents/preview", params={"url": video_id})

    assert (answer.status_code, answer.json()["thumbnail"]) == (200, None)


async def test_registering_twice_answers_the_same_content(operator: Operator, youtube: FakeYouTube) -> None:
    (video_id,) = youtube.upload()
    first = await register(operator, f"https://www.youtube.com/watch?v={video_id}")

    again = await operator.post("/api/contents", {"url": f"https://m.youtube.com/shorts/{video_id}"})

    assert (again.status_code, again.json()) == (200, first)
    assert first["created_by"] == "operator"
    assert len(youtube.asked("/oembed")) == 1
    audit = (await operator.get("/api/audit", params={"subject": video_id})).json()
    assert [entry["action"] for entry in audit["entries"]] == ["content.register"]


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("https://evil.example/watch?v=dQw4w9WgXcQ", "evil.example is not a host of YouTube's"),
        ("http://169.254.169.254/latest?v=dQw4w9WgXcQ", "169.254.169.254 is not a host of YouTube's"),
        ("https://me:secret@youtube.com/watch?v=dQw4w9WgXcQ", "must not hold a user name or a password"),
        ("file:///etc/passwd", "not file:"),
    ],
)
async def test_hostile_addresses_are_refused_and_nobody_is_asked(
    operator: Operator, youtube: FakeYouTube, url: str, message: str
) -> None:
    for answer in (
        await operator.post("/api/contents", {"url": url}),
        await operator.get("/api/contents/preview", params={"url": url}),
    ):
        error = answer.json()["error"]
        assert (answer.status_code, error["code"], error["path"]) == (400, "content_url_invalid", "url")
        assert message in error["message"]
    assert youtube.requests == []


async def test_a_video_that_youtube_does_not_know_is_not_registered(operator: Operator, youtube: FakeYouTube) -> None:
    answer = await operator.post("/api/contents", {"url": "dQw4w9WgXcQ"})

    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "content_not_found")
    assert (await operator.get("/api/contents")).json()["contents"] == []


async def test_youtubes_trouble_is_not_this_servers(
    serving: Serving,
    youtube: FakeYouTube,
    lines: Any,  # noqa: ANN401 - a stream
) -> None:
    youtube.ail("/youtube/v3/", refusal(403, "quotaExceeded"))
    config = replace(CONFIG, youtube_url=youtube.url, youtube_api_key=Secret(API_KEY))

    async with serving(config) as http:
        answer = await Operator(http).post("/api/contents", {"url": "dQw4w9WgXcQ"})

    error = answer.json()["error"]
    assert (answer.status_code, error["code"]) == (424, "youtube_quota_exceeded")
    assert "quota" in error["message"]
    assert API_KEY not in lines.getvalue()


async def test_contents_are_found_by_words_and_paged(operator: Operator, youtube: FakeYouTube) -> None:
    made = [*youtube.upload(3), *youtube.upload(2, title="Kiosk loop 100%")]
    for video_id in made:
        await register(operator, video_id)

    page = (await operator.get("/api/contents", params={"limit": 2})).json()
    rest = (await operator.get("/api/contents", params={"limit": 4, "before": page["next"]})).json()
    assert [each["youtube_video_id"] for each in page["contents"] + rest["contents"]] == made[::-1]
    assert rest["next"] is None

    async def search(words: str) -> list[str]:
        found = (await operator.get("/api/contents", params={"search": words})).json()["contents"]
        return [each["youtube_video_id"] for each in found]

    assert await search("KIOSK") == made[:2:-1]
    assert await search("100%") == made[:2:-1]
    assert await search("%") == made[:2:-1]
    assert await search("signage lab") == made[::-1]
    assert await search(made[0]) == [made[0]]
    assert await search("nothing like it") == []


async def test_a_content_shows_its_runs_and_the_newest_picture_of_each_device(
    operator: Operator, http: httpx.AsyncClient, youtube: FakeYouTube
) -> None:
    (video_id,) = youtube.upload()
    await register(operator, video_id)
    node = await Node(http).register("R58M1", "R58M2")
    newest: dict[str, str] = {}
    for number in range(2):
        run = await operator.given_run(youtube_video_id=video_id)
        await operator.given_run()  # of no video: none of this content's business
        for job in (await node.pull())["jobs"]:
            if job["run_id"] != run["run_id"]:
                await node.call_back(node.event(job, "job_finished", outcome="succeeded"))
                continue
            key = f"{video_id}/node-1/{job['serial']}/{run['run_id']}/20260102T030405678Z-{number:08x}.png"
            (await node.put(key, PNG + bytes([number]), job=job)).raise_for_status()
            told = node.event(job, "artifact_created", key=key, kind="screenshot")
            done = node.event(job, "job_finished", outcome="succeeded")
            assert await node.call_back(told, done) == ["applied", "applied"]
            newest[job["serial"]] = key
        for job in (await node.pull())["jobs"]:
            await node.call_back(node.event(job, "job_finished", outcome="succeeded"))

    view = (await operator.get(f"/api/contents/{video_id}")).json()

    assert view["content"]["runs"] == 2
    assert [each["youtube_video_id"] for each in view["runs"]] == [video_id, video_id]
    assert [(each["serial"], each["key"]) for each in view["screenshots"]] == sorted(newest.items())


async def test_a_deleted_content_is_gone_and_its_runs_are_not(operator: Operator, youtube: FakeYouTube) -> None:
    (video_id,) = youtube.upload()
    await register(operator, video_id)
    run = await operator.given_run(youtube_video_id=video_id)

    assert (await operator.delete(f"/api/contents/{video_id}")).status_code == 204

    assert (await operator.get(f"/api/contents/{video_id}")).status_code == 404
    assert (await operator.delete(f"/api/contents/{video_id}")).status_code == 404
    assert (await operator.monitor(run))["run"]["youtube_video_id"] == video_id


async def test_a_picture_is_served_from_here_and_kept_by_browsers(
    operator: Operator, youtube: FakeYouTube, farm: Farm
) -> None:
    (video_id,) = youtube.upload()
    await register(operator, video_id)
    address = f"/api/contents/{video_id}/thumbnail"
    assert (await operator.get(address)).status_code == 404
    await farm.engine.contents.store_thumbnail(video_id, content_type="image/png", content=PNG)

    answer = await operator.get(address)
    assert (answer.content, answer.headers["content-type"]) == (PNG, "image/png")
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert (await operator.get(address, extra={"if-none-match": answer.headers["etag"]})).status_code == 304
    assert (await operator.get(f"/api/contents/{video_id}")).json()["content"]["thumbnail"] == address


async def test_hours_are_told_for_a_window(operator: Operator) -> None:
    assert len((await operator.get("/api/contents/hours", params={"window": "24h"})).json()["hours"]) == 24
    for window in ("a while", "0h", "32d"):
        answer = await operator.get("/api/contents/hours", params={"window": window})
        assert (answer.status_code, answer.json()["error"]["path"]) == (400, "window")


@pytest.mark.parametrize("named", [CHANNEL_ID, f"@{HANDLE}", f"https://www.youtube.com/@{HANDLE}/videos"])
async def test_a_channel_is_registered_by_any_of_its_names_and_once(
    operator: Operator, youtube: FakeYouTube, named: str
) -> None:
    first = await operator.post("/api/content-channels", {"channel": named})
    again = await operator.post("/api/content-channels", {"channel": CHANNEL_ID, "sync_every_s": 600})

    channel = first.json()
    assert (first.status_code, again.status_code, again.json()) == (201, 200, channel)
    assert (channel["youtube_channel_id"], channel["title"]) == (CHANNEL_ID, "Signage Lab")
    assert (channel["sync_every_s"], channel["run"], channel["run_cap"]) == (180, None, 10)
    assert (await operator.get("/api/content-channels")).json()["content_channels"] == [channel]


async def test_a_channel_is_changed_paused_synced_and_deleted(operator: Operator, youtube: FakeYouTube) -> None:
    await operator.given_workflow()
    await operator.post("/api/content-channels", {"channel": CHANNEL_ID})
    path = f"/api/content-channels/{CHANNEL_ID}"
    rule = {"workflow": "smoke", "target": {"all": True}, "params": {"package": "com.example.kiosk"}}

    changed = (await operator.patch(path, {"sync_every_s": 600, "is_paused": True, "run": rule, "run_cap": 3})).json()
    assert (changed["sync_every_s"], changed["is_paused"], changed["run_cap"]) == (600, True, 3)
    assert changed["run"]["params"] == {"package": "com.example.kiosk"}
    assert (await operator.post(f"{path}/sync")).status_code == 409
    assert (await operator.patch(path, {"is_paused": False})).json()["run"] == changed["run"]
    assert (await operator.post(f"{path}/sync")).status_code == 202
    assert (await operator.patch(path, {"run": None})).json()["run"] is None

    assert (await operator.delete(path)).status_code == 204
    assert (await operator.get(path)).status_code == 404
    assert (await operator.patch(path, {})).status_code == 404
    assert (await operator.post(f"{path}/sync")).status_code == 404


@pytest.mark.parametrize(
    ("rule", "path"),
    [
        ({"workflow": "nothing"}, "run.workflow"),
        ({"workflow": "smoke", "params": {"pakage": "x"}}, "params.pakage"),
        ({"workflow": "smoke", "params": {"password": "hunter22"}}, "run.params.password"),
        ({"workflow": "smoke", "overrides": {"nostep": {}}}, "overrides.nostep"),
        ({"workflow": "smoke", "target": {"nodes": ["nowhere"]}}, "target.nodes[0]"),
        ({"workflow": "smoke", "policy": {"concurrency": -1}}, "policy.concurrency"),
        ({"workflow": "smoke", "colour": "red"}, "run.colour"),
    ],
)
async def test_a_rule_that_could_never_run_is_refused_with_its_path(
    operator: Operator, youtube: FakeYouTube, rule: dict[str, Any], path: str
) -> None:
    await operator.post("/api/workflows", SMOKE)
    await operator.post("/api/content-channels", {"channel": CHANNEL_ID})

    answer = await operator.patch(f"/api/content-channels/{CHANNEL_ID}", {"run": rule})

    assert (answer.status_code, answer.json()["error"]["path"]) == (400, path)
    assert "hunter22" not in answer.text
    assert (await operator.get(f"/api/content-channels/{CHANNEL_ID}")).json()["run"] is None


async def test_a_channel_that_is_none_is_refused(operator: Operator, youtube: FakeYouTube) -> None:
    hostile = await operator.post("/api/content-channels", {"channel": "https://evil.example/@lab"})
    unknown = await operator.post("/api/content-channels", {"channel": "@nobody"})

    assert (hostile.status_code, hostile.json()["error"]["path"]) == (400, "channel")
    assert (unknown.status_code, unknown.json()["error"]["code"]) == (404, "content_not_found")


async def test_nodes_have_no_business_here(http: httpx.AsyncClient) -> None:
    for path in ("/api/contents", "/api/content-channels"):
        assert (await http.get(path, headers=AS_NODE)).status_code in {401, 403}
