"""Log lines: what they say, and what they never do."""

import io
import json
import logging
from collections.abc import Iterator

import pytest
import structlog

from corral.telemetry import bound, configure_logs, logger


@pytest.fixture
def stream() -> Iterator[io.StringIO]:
    root = logging.getLogger()
    handlers, level = root.handlers, root.level
    yield io.StringIO()
    root.handlers, root.level = handlers, level
    structlog.reset_defaults()


def test_a_line_says_what_it_is_about(stream: io.StringIO) -> None:
    configure_logs(stream=stream)

    with bound(run_id="r1", node_id="n1", device_serial="R58M1"):
        logger("corral.test").info("step failed", step="look")

    assert stream.getvalue().rstrip().endswith("[run_id=r1 node_id=n1 device_serial=R58M1] step failed step=look")


def test_json_lines_hold_the_same(stream: io.StringIO) -> None:
    configure_logs(stream=stream, log_format="json")

    with bound(request_id="abc"):
        logger("corral.test").warning("odd", count=2)

    line = json.loads(stream.getvalue())
    assert (line["request_id"], line["event"], line["count"], line["level"]) == ("abc", "odd", 2, "warning")


@pytest.mark.parametrize("log_format", ["text", "json"])
def test_secrets_are_masked(stream: io.StringIO, log_format: str) -> None:
    configure_logs(stream=stream, log_format=log_format, secrets=["s3cr3t-value"])

    logger("corral.test").info("with s3cr3t-value", lease_token="abc", url="postgresql://me:pass@host/db")
    logging.getLogger("other.library").warning("also s3cr3t-value")

    said = stream.getvalue()
    assert not any(secret in said for secret in ("s3cr3t-value", "abc", "pass@"))
    assert "postgresql://me:***@host/db" in said


def test_a_line_stays_one_line(stream: io.StringIO) -> None:
    configure_logs(stream=stream)

    logger("corral.test").info("first\n2026 info forged")

    assert len(stream.getvalue().splitlines()) == 1


def test_a_trace_follows_its_line(stream: io.StringIO) -> None:
    configure_logs(stream=stream)

    try:
        int("why")
    except ValueError:
        logger("corral.test").exception("broken")

    assert "broken" in stream.getvalue().splitlines()[0]
    assert "ValueError: invalid literal" in stream.getvalue()


def test_lines_below_the_level_are_left_out(stream: io.StringIO) -> None:
    configure_logs(stream=stream, level="warning")

    logger("corral.test").info("quiet")

    assert stream.getvalue() == ""


def test_a_token_of_corrals_own_is_masked_wherever_it_is(stream: io.StringIO) -> None:
    configure_logs(stream=stream)

    logger("corral.test").info("odd path /x?key=crln_abc-DEF_123&y=1", path="crlo_x")

    assert stream.getvalue().rstrip().endswith("odd path /x?key=***&y=1 path=***")
