"""What deploy/ ships: each file is well-formed, and speaks of settings, files and commands that exist."""

import configparser
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from corral.config import ENVIRONMENT as SERVER
from corral.config import load_server_config
from corral.node.config import ENVIRONMENT as NODE
from corral.node.config import load_node_config

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
UNITS = sorted(DEPLOY.glob("systemd/*.service"))
COMPOSE: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))
SETTINGS = {name for names in (*SERVER.values(), *NODE.values()) for name in names}
OF_S3 = {"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"}


def unit(path: Path) -> configparser.RawConfigParser:
    parser = configparser.RawConfigParser(strict=False, interpolation=None)
    parser.optionxform = str  # type: ignore[assignment,method-assign]  # its documented use
    parser.read(path)
    return parser


def variables(example: str, *, with_comments: bool = True) -> dict[str, str]:
    """What an example sets; with comments, also what it would."""
    start = "^#?" if with_comments else "^"
    text = (DEPLOY / example).read_text(encoding="utf-8")
    return dict(re.findall(rf"{start}([A-Z][A-Z0-9_]+)=(.*)$", text, re.MULTILINE))


@pytest.mark.parametrize("path", UNITS, ids=lambda path: path.name)
def test_systemd_finds_nothing_wrong_with_a_unit(path: Path, tmp_path: Path) -> None:
    if (program := shutil.which("systemd-analyze")) is None:
        pytest.skip("there is no systemd-analyze here")
    copy = tmp_path / path.name
    copy.write_text(path.read_text().replace("/opt/corral/bin/corral", "/bin/sh"))  # it looks for the program

    told = subprocess.run([program, "verify", str(copy)], capture_output=True, text=True, check=False)

    assert [line for line in told.stderr.splitlines() if path.name in line] == []
    assert told.returncode == 0, told.stderr


@pytest.mark.parametrize("path", UNITS, ids=lambda path: path.name)
def test_a_unit_is_confined_restarts_and_has_time_to_stop(path: Path) -> None:
    service = unit(path)["Service"]

    assert service["User"] == "corral"
    assert (service["NoNewPrivileges"], service["ProtectSystem"], service["ProtectHome"]) == ("yes", "strict", "yes")
    assert (service["Restart"], service["KillMode"]) == ("always", "mixed")
    assert "TimeoutStopSec" in service
    named = re.findall(r"([A-Z_]+)=", service["Environment"])
    assert set(named) <= SETTINGS | {"HOME"}
    assert (DEPLOY / f"{Path(service['EnvironmentFile']).name}.example").exists()


@pytest.mark.parametrize("example", ["server.env.example", "node.env.example"])
def test_an_example_names_only_settings_that_exist(example: str) -> None:
    assert set(variables(example)) <= SETTINGS | OF_S3


def test_the_examples_can_be_filled_in_and_used() -> None:
    secrets = {"NODE_AGENT_SHARED_SECRET": "n" * 32, "COORDINATOR_AUTH_TOKEN": "o" * 32}
    server = load_server_config({}, {**variables("server.env.example"), **secrets})
    node = load_node_config({}, variables("node.env.example"))

    assert server.trusted_proxy == "127.0.0.1"
    assert node.server_url == "https://farm.example"


def test_the_compose_file_holds_together() -> None:
    services = COMPOSE["services"]
    mounted = {mount.split(":")[0] for each in services.values() for mount in each.get("volumes", [])}

    assert set(services) == {"postgres", "objects", "bucket", "server"}
    assert mounted == set(COMPOSE["volumes"])
    for service in services.values():
        for other, condition in service.get("depends_on", {}).items():
            awaited = condition["condition"]
            assert awaited == "service_completed_successfully" or "healthcheck" in services[other]
    build = services["server"]["build"]
    assert (DEPLOY / build["context"] / build["dockerfile"]).exists()


def test_the_compose_file_takes_every_secret_from_the_environment_file() -> None:
    needed = re.findall(r"\$\{(\w+):\?", (DEPLOY / "compose.yaml").read_text(encoding="utf-8"))

    assert set(needed) == set(variables("compose.env.example", with_comments=False))


def test_the_composed_server_accepts_its_settings() -> None:
    given = {**dict.fromkeys(variables("compose.env.example"), "s3cret"), "S3_ENDPOINT": "http://10.0.0.1:9000"}
    given |= {"NODE_AGENT_SHARED_SECRET": "n" * 32, "COORDINATOR_AUTH_TOKEN": "o" * 32}
    told = COMPOSE["services"]["server"]["environment"]
    environ = {name: re.sub(r"\$\{(\w+)[^}]*\}", lambda found: given[found[1]], text) for name, text in told.items()}

    config = load_server_config({}, environ)

    assert set(environ) <= SETTINGS | OF_S3
    assert config.host == "0.0.0.0"
    assert config.storage_location == "s3://corral?endpoint=http://10.0.0.1:9000&region=us-east-1"


def test_the_image_copies_what_is_there() -> None:
    lines = (DEPLOY / "Dockerfile").read_text(encoding="utf-8").splitlines()
    copied = [line.split()[1] for line in lines if line.startswith("COPY ") and "--from" not in line]

    assert copied
    assert all((ROOT / each).exists() for each in copied)
    assert "USER corral" in lines
