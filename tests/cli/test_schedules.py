"""Schedules and webhooks: every command of theirs, as a process against a real server."""

from pathlib import Path

from tests.api.client import OPERATOR_TOKEN, Node
from tests.api.process import running
from tests.api.receiver import answering, receiving
from tests.cli.conftest import Cli


async def test_a_schedule_is_made_shown_changed_paused_run_and_deleted(cli: Cli, node: Node, recipe: Path) -> None:
    await cli("workflow", "push", recipe)
    secret = ("--secret", "password=env:LAB_PASSWORD")
    made = await cli(
        *("schedule", "create", "nightly", "smoke", "--cron", "0 3 * * *", "--zone", "Asia/Seoul"),
        *("--on", "1-2", "--param", "package=com.example", *secret, "--catch-up", "all", "--policy", "concurrency=1"),
        env={"LAB_PASSWORD": "hunter22"},
    )
    assert made.splitlines()[0] == "nightly smoke 0 3 * * * Asia/Seoul ✓ active"
    assert made.count("  next") == 5
    assert "03:00 KST" in made

    (listed,) = (await cli.json("schedule", "list"))["schedules"]
    assert listed["run"]["target"] == {"indexes": [[1, 2]]}
    assert (listed["run"]["params"], listed["secret_params"]) == ({"package": "com.example"}, ["password"])
    assert (listed["catch_up"], listed["run"]["policy"]) == ("all", {"concurrency": 1})
    assert "nightly" in await cli("schedule", "list")

    changed = await cli.json("schedule", "update", "nightly", "--cron", "30 4 * * *", "--overlap", "cancel-previous")
    assert (changed["cron"], changed["overlap"], changed["secret_params"]) == (
        "30 4 * * *",
        "cancel_previous",
        ["password"],
    )
    assert "paused" in await cli("schedule", "pause", "nightly")
    assert "active" in await cli("schedule", "resume", "nightly")
    run = await cli.json("schedule", "run", "nightly")
    assert (run["source_type"], run["total_jobs"]) == ("schedule", 2)
    assert "fired" in await cli("schedule", "firings", "nightly")
    assert "fired" in await cli("schedule", "show", "nightly")
    await cli("schedule", "delete", "nightly")
    told = await cli.run("schedule", "show", "nightly")
    assert (told.status, told.err) == (2, "corral: no schedule nightly\n")


async def test_a_preview_needs_no_schedule_and_a_mistake_is_named(cli: Cli) -> None:
    times = await cli("schedule", "preview", "0 9 * * MON", "--zone", "Europe/Berlin", "--count", "2")
    assert [line.split()[1] for line in times.splitlines()] == ["09:00", "09:00"]

    told = await cli.run("schedule", "preview", "61 * * * *")
    assert told.status == 2
    assert "bad minute" in told.err
    assert (await cli.run("schedule", "update", "nightly")).status == 2


async def test_a_webhook_is_made_pinged_redelivered_changed_rotated_and_deleted(farm_dsn: str, tmp_path: Path) -> None:
    allowed = {"CORRAL_WEBHOOK_ALLOW_PRIVATE": "true"}
    async with (
        running("--database-url", farm_dsn, env=allowed) as server,
        receiving(answering(500, retry_after="1800")) as receiver,
    ):
        cli = Cli(tmp_path, CORRAL_URL=server.url, CORRAL_TOKEN=OPERATOR_TOKEN)
        secret = (await cli("webhook", "create", "lab", receiver.url, "--event", "run.failed")).strip()
        assert secret.startswith("whsec_")
        failed = await cli.run("webhook", "ping", "lab")
        assert (failed.status, "answered 500" in failed.out) == (1, True)
        (delivery,) = (await cli.json("webhook", "deliveries", "lab"))["deliveries"]
        assert "500" in await cli("webhook", "deliveries", "lab")
        assert "delivered" in await cli("webhook", "redeliver", "lab", delivery["delivery_id"])
        assert len(receiver.received) == 2

        changed = await cli.json(
            "webhook",
            "update",
            "lab",
            "--name",
            "pager",
            "--to",
            f"{receiver.url}2",
            "--no-enabled",
            "--event",
            "node.offline",
        )
        assert (changed["name"], changed["is_enabled"], changed["events"]) == ("pager", False, ["node.offline"])
        assert changed["url"] == f"{receiver.url}2"
        assert (await cli("webhook", "rotate", "pager")).strip() not in {"", secret}
        assert "disabled" in await cli("webhook", "list")
        assert (await cli.run("webhook", "create", "x", receiver.url, "--event", "everything")).status == 2
        await cli("webhook", "delete", "pager")
        assert (await cli.json("webhook", "list"))["webhooks"] == []
