"""Callers of the API for tests: an operator, nodes, and what they say."""

import hashlib
from typing import Any, cast
from uuid import uuid4

import httpx

NODE_SECRET = "the-nodes-shared-secret"
OPERATOR_TOKEN = "the-operators-token"
AS_NODE = {"x-node-auth": NODE_SECRET}
AS_OPERATOR = {"authorization": f"Bearer {OPERATOR_TOKEN}"}

SMOKE: dict[str, Any] = {
    "name": "smoke",
    "params": {
        "package": {"type": "string", "default": "com.android.settings"},
        "password": {"type": "string", "secret": True, "required": False},
    },
    "timeout_s": 120,
    "steps": [
        {"id": "open", "uses": "app.start", "with": {"package": "{{ params.package }}"}, "timeout_bounds_s": [5, 120]},
        {"id": "look", "uses": "device.screenshot"},
    ],
}


def artifact_key(job: dict[str, Any], *, node_id: str = "node-1", number: int = 0, extension: str = "png") -> str:
    """A key that the holder of the job may use."""
    return f"_/{node_id}/{job['serial']}/{job['run_id']}/20260102T030405678Z-{number:08x}.{extension}"


class Operator:
    """A person, or a program of theirs."""

    def __init__(self, http: httpx.AsyncClient, *, headers: dict[str, str] = AS_OPERATOR) -> None:
        self._http = http
        self._headers = headers

    async def get(self, path: str, *, extra: dict[str, str] | None = None, **options: Any) -> httpx.Response:  # noqa: ANN401 - httpx's
        return await self._http.get(path, headers={**self._headers, **(extra or {})}, **options)

    async def post(self, path: str, body: object = None, **options: Any) -> httpx.Response:  # noqa: ANN401 - httpx's
        return await self._http.post(path, headers=self._headers, json={} if body is None else body, **options)

    async def patch(self, path: str, body: object) -> httpx.Response:
        return await self._http.patch(path, headers=self._headers, json=body)

    async def put(self, path: str, body: object) -> httpx.Response:
        return await self._http.put(path, headers=self._headers, json=body)

    async def delete(self, path: str) -> httpx.Response:
        return await self._http.delete(path, headers=self._headers)

    async def given_workflow(self) -> None:
        (await self.post("/api/workflows", SMOKE)).raise_for_status()

    async def given_run(self, **fields: object) -> dict[str, Any]:
        await self.given_workflow()
        answer = await self.post("/api/runs", {"workflow": "smoke", **fields})
        answer.raise_for_status()
        run: dict[str, Any] = answer.json()
        return run

    async def monitor(self, run: dict[str, Any], **query: object) -> dict[str, Any]:
        answer = await self.get(f"/api/runs/{run['run_id']}", params=query)
        answer.raise_for_status()
        view: dict[str, Any] = answer.json()
        return view

    async def counts(self, run: dict[str, Any]) -> dict[str, int]:
        counts: dict[str, int] = (await self.monitor(run))["run"]["counts"]
        return counts


class Node:
    """A node that does as it is told."""

    def __init__(self, http: httpx.AsyncClient, node_id: str = "node-1", *, headers: dict[str, str] = AS_NODE) -> None:
        self._http = http
        self._headers = headers
        self.node_id = node_id
        self.epoch = 0
        self._seq = 0

    async def say(self, what: str, body: dict[str, Any]) -> httpx.Response:
        return await self._http.post(
            f"/api/nodes/{what}", json={"node_id": self.node_id, **body}, headers=self._headers
        )

    async def register(self, *serials: str) -> "Node":
        answer = await self.say("register", {"state_id": uuid4().hex})
        answer.raise_for_status()
        self.epoch = answer.json()["epoch"]
        if serials:
            (await self.beat(devices=[{"serial": serial} for serial in serials])).raise_for_status()
        return self

    async def beat(self, **fields: object) -> httpx.Response:
        return await self.say("heartbeat", {"epoch": self.epoch, **fields})

    async def pull(self, want: int = 20, **fields: object) -> dict[str, Any]:
        body = {"epoch": self.epoch, "want": want, "request_id": str(uuid4()), "wait_s": 0, **fields}
        answer = await self.say("pull", body)
        answer.raise_for_status()
        pulled: dict[str, Any] = answer.json()
        return pulled

    def event(self, job: dict[str, Any], kind: str, /, **fields: object) -> dict[str, Any]:
        self._seq += 1
        told = {"job_id": job["job_id"], "lease_token": job["lease_token"], "seq": self._seq, "type": kind}
        return {"event_id": str(uuid4()), **told, **fields}

    async def put(self, key: str, data: object, *, job: dict[str, Any], **headers: str) -> httpx.Response:
        """Store an artifact's bytes; headers may be given by their names in Python's spelling."""
        sha256 = hashlib.sha256(data).hexdigest() if isinstance(data, bytes) else ""
        told = {"x-job-id": job["job_id"], "x-lease-token": job["lease_token"], "x-content-sha256": sha256}
        told |= {name.replace("_", "-"): value for name, value in headers.items()}
        return await self._http.put(f"/api/artifacts/{key}", content=cast("Any", data), headers={**AS_NODE, **told})

    async def call_back(self, *events: object) -> list[str]:
        answer = await self.say("callback", {"events": list(events)})
        answer.raise_for_status()
        return [result["outcome"] for result in answer.json()["results"]]
