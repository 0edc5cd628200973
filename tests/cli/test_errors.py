"""Trouble, as people meet it: one line that says what to do, and a status that says what kind."""

import asyncio
from pathlib import Path

import pytest

from corral.cli.configuration import list_settings
from corral.config import default_data_dir
from corral.node.config import NodeConfig
from tests.api.client import OPERATOR_TOKEN
from tests.api.process import ServerProcess
from tests.cli.conftest import Cli


async def test_a_server_that_is_not_there_is_one_line_with_what_to_do(nobody: Cli) -> None:
    told = await nobody.run("devices")

    assert (told.status, told.out) == (3, "")
    assert told.err == (
        "corral: no server answers at http://127.0.0.1:1; start one with `corral up`, or set CORRAL_URL\n"
    )


@pytest.mark.parametrize("token", [None, "wrong-token"])
async def test_a_missing_or_wrong_token_says_where_to_put_the_right_one(
    server: ServerProcess, tmp_path: Path, token: str | None
) -> None:
    cli = Cli(tmp_path, CORRAL_URL=server.url, **({} if token is None else {"CORRAL_TOKEN": token}))

    told = await cli.run("runs")

    assert told.status == 3
    assert told.err.endswith("; set CORRAL_TOKEN to your token\n")
    assert "wrong-token" not in told.err


async def test_the_server_is_found_by_a_file_and_a_flag_wins(server: ServerProcess, tmp_path: Path) -> None:
    file = tmp_path / "corral.toml"
    file.write_text(f"[client]\nurl = 'http://127.0.0.1:1'\ntoken = '{OPERATOR_TOKEN}'\n", encoding="utf-8")
    cli = Cli(tmp_path)

    assert (await cli.run("nodes")).status == 3
    assert "no nodes" in await cli("nodes", "--url", server.url)
    assert "no nodes" in await cli("nodes", env={"CORRAL_URL": server.url})


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[client]\nurk = 'x'\n", "unknown setting client.urk"),
        ("[client]\nurl = 'ftp://x'\n", "url must be an http or https address"),
        ("[cleint]\nurl = 'x'\n", "unknown table or key cleint"),
        ('[client]\ntoken = "a\\nb"\n', "the token holds characters that no token has"),
    ],
)
async def test_a_wrong_setting_is_named(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "corral.toml").write_text(text, encoding="utf-8")

    told = await Cli(tmp_path).run("nodes")

    assert (told.status, told.out) == (2, "")
    assert words in told.err


async def test_config_says_where_each_setting_came_from_and_masks_secrets(tmp_path: Path) -> None:
    (tmp_path / "corral.toml").write_text("[server]\nport = 9000\n[node]\nname = 'shelf'\n", encoding="utf-8")
    cli = Cli(tmp_path, CORRAL_TOKEN="a-secret-token", NODE_AGENT_SHARED_SECRET="a-node-secret")

    lines = {line["table"] + "." + line["setting"]: line for line in (await cli.json("config"))["settings"]}
    text = await cli("config", "--all")

    assert (lines["server.port"]["value"], lines["server.port"]["source"]) == (9000, "corral.toml")
    assert (lines["client.token"]["value"], lines["client.token"]["source"]) == ("***", "CORRAL_TOKEN")
    assert (lines["node.name"]["value"], lines["node.secret"]["value"]) == ("shelf", "***")
    assert lines["client.url"]["source"] == "default"
    assert "a-secret-token" not in text + str(lines)
    assert "server.port" in text
    assert "server.port" in await cli("config", "server")
    assert "server.port" not in await cli("config", "client", "--all")
    told = await cli.run("config", env={"CORRAL_PORT": "many"})
    assert (told.status, "CORRAL_PORT" in told.err) == (2, True)


def test_config_shows_what_a_default_comes_to_on_this_computer(tmp_path: Path) -> None:
    environ = {"CORRAL_DATA_DIR": "/farm", "CORRAL_NODE_ID": "shelf", "CORRAL_NODE_STATE_DIR": "/var/shelf"}
    (file := tmp_path / "none.toml").touch()

    def values(table: str, environ: dict[str, str]) -> dict[str, tuple[object, str]]:
        return {line.setting: (line.value, line.source) for line in list_settings(table, environ, file=file)}

    server, node = values("server", {}), values("node", {})
    assert server["data_dir"] == node["data_dir"] == (str(default_data_dir()), "default")
    assert server["storage_url"] == (str(default_data_dir() / "objects"), "default")
    assert node["node_id"] == node["name"] == (NodeConfig().id, "default")
    assert node["state_dir"] == (str(default_data_dir() / f"node-{NodeConfig().id}"), "default")
    assert values("server", {"CORRAL_EPHEMERAL": "1"})["data_dir"] == ("a temporary directory", "default")
    assert values("server", environ)["storage_url"] == ("/farm/objects", "default")
    assert values("server", {"CORRAL_STORAGE_URL": "s3://x"})["storage_url"] == ("***", "CORRAL_STORAGE_URL")
    assert values("node", environ)["name"] == ("shelf", "default")
    assert values("node", environ)["state_dir"] == ("/var/shelf", "CORRAL_NODE_STATE_DIR")


async def test_doctor_says_what_is_there_and_what_to_do(server: ServerProcess, tmp_path: Path) -> None:
    cli = Cli(tmp_path, CORRAL_DATA_DIR=str(tmp_path / "data"), CORRAL_PORT="0")

    findings = {finding["subject"]: finding for finding in (await cli.json("doctor"))["findings"]}
    assert set(findings) == {"python", "postgresql", "adb", "data", "disk", "port", "server"}
    assert findings["server"]["state"] == "warning"
    assert "corral up" in findings["server"]["advice"]

    told = await cli.run("doctor", env={"CORRAL_URL": server.url})
    assert told.status == 1
    assert "→ set CORRAL_TOKEN to your token" in told.out
    assert "as operator (admin)" in await cli("doctor", env={"CORRAL_URL": server.url, "CORRAL_TOKEN": OPERATOR_TOKEN})
    (tmp_path / "file").touch()
    blocked = await cli.run("doctor", "--data-dir", tmp_path / "file" / "data")
    assert (blocked.status, "is not a directory" in blocked.out) == (1, True)


async def test_doctor_tells_a_corral_on_the_port_from_anything_else(server: ServerProcess, tmp_path: Path) -> None:
    cli = Cli(tmp_path, CORRAL_DATA_DIR=str(tmp_path / "data"), CORRAL_URL=server.url, CORRAL_TOKEN=OPERATOR_TOKEN)

    async with await asyncio.start_server(lambda _, writer: writer.close(), "127.0.0.1", 0) as other:
        taken = await cli.run("doctor", env={"CORRAL_PORT": str(other.sockets[0].getsockname()[1])})
    ours = await cli.run(
        "doctor", env={"CORRAL_PORT": server.url.rpartition(":")[2], "CORRAL_URL": "http://127.0.0.1:1"}
    )

    assert (taken.status, "stop what listens there, or set CORRAL_PORT" in taken.out) == (1, True)
    assert (ours.status, "is in use, by a Corral server" in ours.out) == (0, True)


async def test_doctor_looks_for_the_adb_that_a_node_would_start(tmp_path: Path) -> None:
    (tmp_path / "corral.toml").write_text("[node]\nadb_path = '/nowhere/adb'\n", encoding="utf-8")
    (tmp_path / "adb").touch(mode=0o755)
    cli = Cli(tmp_path, CORRAL_DATA_DIR=str(tmp_path / "data"), CORRAL_PORT="0")

    assert "there is no adb program at /nowhere/adb" in (await cli.run("doctor")).out
    named = await cli.run("doctor", "--json", env={"CORRAL_NODE_ADB_PATH": str(tmp_path / "adb")})
    assert {"subject": "adb", "state": "ok", "detail": str(tmp_path / "adb"), "advice": None} in named.json["findings"]


async def test_completion_is_installed_where_the_shell_looks(tmp_path: Path) -> None:
    out = await Cli(tmp_path, HOME=str(tmp_path), SHELL="/bin/bash")("--install-completion", "--shell", "bash")

    assert "corral" in out
    assert [path for path in tmp_path.rglob("*") if path.is_file() and "corral" in path.name]
