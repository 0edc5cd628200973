"""A server and workers: nodes without phones, each a process of its own."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from tests.node.rig import Desk, NodeProcess


def shell(step_id: str, command: str, **fields: object) -> dict[str, Any]:
    return {"id": step_id, "uses": "shell.run", "with": {"command": command}, **fields}


class WorkerDesk(Desk):
    """A server, and workers that have no phones."""

    @asynccontextmanager
    async def worker(self, name: str = "worker", *flags: str) -> AsyncIterator[NodeProcess]:
        """A worker from the moment that it is registered until the block ends."""
        worker = await self.start_node(
            "--drivers", "none", "--allow-shell", *flags, node_id=name, state=self.state.with_name(name)
        )
        try:
            await worker.read_until("registered")
            yield worker
        finally:
            await worker.kill()

    async def given_distributed(self, *steps: dict[str, Any], mode: str = "distributed", **fields: Any) -> str:  # noqa: ANN401
        """Start a run of these steps; its id."""
        recipe = {"name": "spread", "mode": mode, "steps": list(steps), **fields.pop("recipe", {})}
        answer = await self.http.post("/api/workflows", json=recipe)
        assert answer.is_success, answer.text
        answer = await self.http.post("/api/runs", json={"workflow": "spread", **fields})
        assert answer.is_success, answer.text
        run_id: str = answer.json()["run_id"]
        return run_id

    async def graph(self, run_id: str) -> dict[str, Any]:
        answer = await self.http.get(f"/api/runs/{run_id}/graph")
        assert answer.is_success, answer.text
        graph: dict[str, Any] = answer.json()
        return graph

    async def statuses(self, run_id: str) -> dict[str, str]:
        return {step["step"]: step["status"] for step in (await self.graph(run_id))["steps"]}

    async def output(self, run_id: str) -> Any:  # noqa: ANN401 - any JSON
        return (await self.graph(run_id))["job"]["output"]

    async def until_step(self, run_id: str, step: str, status: str) -> None:
        def is_so(graph: dict[str, Any]) -> bool:
            return any(each["step"] == step and each["status"] == status for each in graph["steps"])

        await self.until(f"/api/runs/{run_id}/graph", is_so)

    async def metrics(self) -> str:
        answer = await self.http.get("/metrics")
        assert answer.is_success, answer.text
        return answer.text

    async def check_invariants(self) -> None:
        assert await self.query("select * from corral.fn_check_invariants()") == []
