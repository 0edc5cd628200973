"""What Prometheus is told. Labels are closed lists and route templates, never ids."""

from collections import Counter as Tally
from collections.abc import Callable

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


class Metrics:
    """The measures of one server process."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._requests = Counter(
            "corral_http_requests", "Requests served", ["method", "route", "status"], registry=self._registry
        )
        self._durations = Histogram(
            "corral_http_request_seconds", "Time to serve a request", ["route"], registry=self._registry
        )
        self._events = Counter("corral_node_events", "Events of nodes", ["outcome"], registry=self._registry)
        self._waiting = Gauge("corral_waiting_pulls", "Pulls that wait here", registry=self._registry)
        self._leading = Gauge("corral_upkeep_leader", "1 where upkeep runs", registry=self._registry)

    def count_request(self, method: str, route: str, status: int, took_s: float) -> None:
        self._requests.labels(method if method in _METHODS else "other", route, str(status)).inc()
        self._durations.labels(route).observe(took_s)

    def count_socket(self, route: str, status: int) -> None:
        """A WebSocket was refused, or has ended: 101 is one that was open. How long is no time to serve."""
        self._requests.labels("WEBSOCKET", route, str(status)).inc()

    def count_events(self, outcomes: Tally[str]) -> None:
        for outcome, count in outcomes.items():
            self._events.labels(outcome).inc(count)

    def watch(self, *, waiting: Callable[[], int], leading: Callable[[], bool]) -> None:
        """Ask these whenever somebody looks."""
        self._waiting.set_function(waiting)
        self._leading.set_function(lambda: float(leading()))

    def render(self) -> bytes:
        """In Prometheus' text format."""
        return generate_latest(self._registry)
