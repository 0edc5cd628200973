"""Runs: asking for work, following it, stopping it."""

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final
from uuid import UUID

import msgspec

from corral.client.paging import each_of
from corral.client.targets import parse_target
from corral.client.transport import Transport
from corral.model.errors import DatabaseUnavailableError, ServerUnavailableError, WaitTimeoutError
from corral.model.records import Explanation, Json, Run, RunLogLine, StepTally
from corral.model.states import JobStatus, RunStatus
from corral.model.testing import Case, Verdict
from corral.wire.runs import Explanations, LogPage, RetryRequest, RunPage, RunRequest, StepTallies
from corral.wire.testing import CasePage
from corral.wire.views import Monitor

# A server that is started anew, or a network that hiccups, does not end a wait.
_OUTAGE_S: Final = 60.0
_PAGE: Final = 500


class Runs:
    """`client.runs`."""

    def __init__(self, transport: Transport, *, workspace: str) -> None:
        self._transport = transport
        self.workspace = workspace

    def create(
        self,
        workflow: str,
        *,
        version: int | None = None,
        target: str | Sequence[str] | Json = "all",
        params: Json | None = None,
        overrides: Json | None = None,
        policy: Json | None = None,
        name: str | None = None,
        seed: str | None = None,
        youtube_video_id: str | None = None,
    ) -> Run:
        """Execute a workflow on devices: "all", "1-50", ["node:rack-1", "tag:pixel"], or the API's own object.

        Raises NotFoundError for the workflow, RecipeInvalidError for params and overrides, InvalidRequestError. It is
        never repeated by itself: where no answer came (ServerUnavailableError), look before asking again.
        """
        request = RunRequest(
            workflow=workflow,
            version=version,
            target=_target(target),
            params=params or {},
            overrides=overrides or {},
            policy=policy or {},
            name=name,
            workspace=self.workspace,
            seed=seed,
            youtube_video_id=youtube_video_id,
        )
        return self._transport.send("POST", "/api/runs", Run, _told(request))

    def get(self, run_id: UUID | str, *, device: str | int | None = None) -> Monitor:
        """The monitor view: the run, its devices, logs and artifacts; with `device`, the steps of that one."""
        return self._transport.get(f"/api/runs/{run_id}", Monitor, {"device": device})

    def cancel(self, run_id: UUID | str) -> Run:
        """Cancel what waits, and ask nodes to stop what runs; a result achieved first stands."""
        return self._transport.send("POST", f"/api/runs/{run_id}/cancel", Run, is_repeatable=True)

    def retry(self, run_id: UUID | str, *, statuses: Sequence[JobStatus] | None = None) -> Run:
        """A new run on the devices where this one did not succeed. Raises ConflictError while it is going."""
        request = RetryRequest(statuses=None if statuses is None else [*statuses])
        return self._transport.send("POST", f"/api/runs/{run_id}/retry", Run, _told(request))

    def replay(self, run_id: UUID | str) -> Run:
        """The same run once more, on the same devices and with the same draws."""
        return self._transport.send("POST", f"/api/runs/{run_id}/replay", Run)

    def review(self, run_id: UUID | str) -> Run:
        """Note that somebody looked at an ended run."""
        return self._transport.send("POST", f"/api/runs/{run_id}/review", Run, is_repeatable=True)

    def explain(self, run_id: UUID | str) -> Iterator[Explanation]:
        """Why each job that has not started waits, by device number."""

        def ask(after: int | None) -> "tuple[list[Explanation], int | None]":
            page = self._transport.get(f"/api/runs/{run_id}/explain", Explanations, {"after": after})
            return page.jobs, page.next

        return each_of(ask)

    def steps(self, run_id: UUID | str) -> "list[StepTally]":
        """How each step went over all jobs of a run: draws, ends, and how long it took."""
        return self._transport.get(f"/api/runs/{run_id}/steps", StepTallies).steps

    def tests(
        self,
        run_id: UUID | str,
        *,
        verdicts: Sequence[Verdict] | None = None,
        differs: bool | None = None,
        is_flaky: bool | None = None,
        query: str | None = None,
    ) -> Iterator[Case]:
        """Test cases by step, class and name, with what every device told of them but the traces."""
        asked = {"status": None if not verdicts else [*verdicts], "differs": differs, "flaky": is_flaky, "query": query}

        def ask(after: str | None) -> "tuple[list[Case], str | None]":
            page = self._transport.get(f"/api/runs/{run_id}/tests", CasePage, {**asked, "after": after, "limit": _PAGE})
            return page.cases, page.next

        return each_of(ask)

    def get_test(self, run_id: UUID | str, class_name: str, name: str, *, step: str | None = None) -> Case:
        """One test case with the traces of all its results. Raises NotFoundError."""
        query = {"class_name": class_name, "name": name, "step": step}
        return self._transport.get(f"/api/runs/{run_id}/tests/case", Case, query)

    def count_tests(self, run_id: UUID | str) -> CasePage:
        """How many test cases have which verdict, the devices that they were for, and the first of them."""
        return self._transport.get(f"/api/runs/{run_id}/tests", CasePage, {"limit": 1})

    def junit(self, run_id: UUID | str) -> bytes:
        """The results of a run's tests as JUnit XML: those so far, while it is going. Raises NotFoundError."""
        return self._transport.ask("GET", f"/api/runs/{run_id}/junit", is_repeatable=True).content

    def logs(
        self,
        run_id: UUID | str,
        *,
        device: str | int | None = None,
        follow: bool = False,
        every_s: float = 1.0,
    ) -> Iterator[RunLogLine]:
        """Log lines, oldest first; with `follow`, also those to come, until the run has ended."""
        after = 0
        while True:
            is_over = not follow or self.get(run_id).run.status.is_terminal  # asked first: what comes later is read
            while page := self._log_page(run_id, device=device, after=after):
                yield from page.lines
                after = page.next
            if is_over:
                return
            time.sleep(every_s)

    def wait(self, run_id: UUID | str, *, timeout_s: float | None = None) -> Monitor:
        """The run once it has ended, however it did. Raises WaitTimeoutError; the run then goes on."""
        view: Monitor | None = None
        for view in self.watch(run_id, timeout_s=timeout_s):  # noqa: B007 - the last one counts
            pass
        if view is None:
            raise AssertionError  # pragma: no cover - a watch yields at least once, or raises
        return view

    def watch(
        self,
        run_id: UUID | str,
        *,
        device: str | int | None = None,
        timeout_s: float | None = None,
        every_s: float = 0.5,
        is_stopped: Callable[[], bool] = lambda: False,
    ) -> Iterator[Monitor]:
        """The monitor view, and again whenever it changed, up to and with the end of the run, or until `is_stopped`.

        Asks every `every_s`, by ETag. An absence of the server is waited out for a minute. Raises WaitTimeoutError.
        """
        begun, last_answer_at, etag = time.monotonic(), time.monotonic(), ""
        while True:
            try:
                view, etag = self._ask_again(run_id, device=device, etag=etag)
                last_answer_at = time.monotonic()
            except (ServerUnavailableError, DatabaseUnavailableError):
                if time.monotonic() - last_answer_at > _OUTAGE_S or is_stopped():
                    raise
                view = None
            if view is not None:
                yield view
                if view.run.status.is_terminal:
                    return
            if is_stopped():
                return
            left_s = every_s if timeout_s is None else timeout_s - (time.monotonic() - begun)
            if left_s <= 0:
                raise WaitTimeoutError(f"run {run_id} has not ended within {timeout_s:g} s; it goes on")
            time.sleep(min(every_s, left_s))

    def list(
        self,
        *,
        statuses: Sequence[RunStatus] | None = None,
        is_reviewed: bool | None = None,
        most: int | None = None,
    ) -> Iterator[Run]:
        """Runs of the workspace, newest first."""
        page_size = _PAGE if most is None else max(1, min(most, _PAGE))

        def ask(before: Any) -> "tuple[list[Run], Any]":  # noqa: ANN401 - what the page before said
            query = {"workspace": self.workspace, "reviewed": is_reviewed, "before": before, "limit": page_size}
            page = self._transport.get("/api/runs", RunPage, {**query, "status": None if not statuses else [*statuses]})
            return page.runs, page.next

        return each_of(ask, most=most)

    def _ask_again(self, run_id: UUID | str, *, device: str | int | None, etag: str) -> tuple[Monitor | None, str]:
        answer = self._transport.ask(
            "GET",
            f"/api/runs/{run_id}",
            query={"device": device},
            headers={"if-none-match": etag} if etag else {},
            is_repeatable=True,
        )
        view = self._transport.decode(answer, Monitor) if answer.content else None
        return view, answer.headers.get("etag", "")

    def _log_page(self, run_id: UUID | str, *, device: str | int | None, after: int) -> LogPage | None:
        page = self._transport.get(f"/api/runs/{run_id}/logs", LogPage, {"device": device, "after": after})
        return page if page.lines else None


def _target(target: str | Sequence[str] | Json) -> Json:
    if isinstance(target, dict):
        return target
    return parse_target(target) if isinstance(target, str) else parse_target(*target)


def _told(request: Any) -> Json:  # noqa: ANN401 - a request of the wire
    """Without what was not said: an older server need not know the word."""
    fields: Json = msgspec.to_builtins(request)
    return {name: value for name, value in fields.items() if value is not None}
