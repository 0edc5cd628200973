"""What a farm on this computer takes from its surroundings, without one being up."""

from pathlib import Path

from corral.cli.farm import FarmPlan, _stop_adb, without_settings

ADB = """#!/bin/sh
echo "$*" >> "$CALLS"
"""


def test_a_demo_knows_nothing_of_the_environment_but_where_adb_is() -> None:
    told = {"CORRAL_PORT": "1", "DATABASE_URL": "x", "NODE_AGENT_SHARED_SECRET": "s", "CORRAL_NODE_ADB_PATH": "/adb"}

    kept = without_settings({**told, "PATH": "/bin"})

    assert kept.keys() == {"PATH", "CORRAL_NODE_ADB_PATH", "CORRAL_CONFIG"}


async def test_the_adb_server_of_simulated_phones_is_ended_by_the_adb_that_was_named(tmp_path: Path) -> None:
    program, calls = tmp_path / "adb", tmp_path / "calls"
    program.write_text(ADB)
    program.chmod(0o755)
    environment = {"PATH": "/usr/bin:/bin", "CALLS": str(calls)}

    await _stop_adb(FarmPlan(port=0, simulated=1, adb_program=program, environment=environment), [5038])

    assert calls.read_text().endswith("-P 5038 kill-server\n")
