"""What a node can be told."""

import inspect
from pathlib import Path

import pytest

from corral.cli.node import node
from corral.config import Secret
from corral.model.errors import ConfigInvalidError
from corral.node.config import ENVIRONMENT, NodeConfig, load_node_config

DOCS = (Path(__file__).parents[2] / "docs" / "node.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", NodeConfig.__struct_fields__)
def test_every_setting_is_documented_with_its_variables(name: str) -> None:
    (row,) = [line for line in DOCS.splitlines() if line.startswith(f"| `{name}` |")]

    assert all(f"`{variable}`" in row for variable in ENVIRONMENT[name])


def test_every_setting_but_the_secret_is_a_flag() -> None:
    flags = set(inspect.signature(node).parameters) - {"config"}

    assert flags == set(NodeConfig.__struct_fields__) - {"secret"}


def test_flags_win_over_the_environment_and_that_over_the_nodes_own_table(tmp_path: Path) -> None:
    file = tmp_path / "corral.toml"
    file.write_text(
        "[server]\nport = 1\n[node]\nlookahead = 1\nmax_concurrency = 2\nname = 'rack'\ndrivers = ['vendor']\n"
    )

    config = load_node_config(
        {"lookahead": 3}, {"CORRAL_NODE_LOOKAHEAD": "2", "CORRAL_NODE_MAX_CONCURRENCY": "4"}, file=file
    )

    assert (config.lookahead, config.max_concurrency, config.name, config.drivers) == (3, 4, "rack", ["vendor"])


def test_lists_and_labels_are_written_with_commas() -> None:
    environ = {
        "CORRAL_NODE_DRIVERS": "adb, vendor",
        "CORRAL_NODE_LABELS": "room=4,rack=b",
        "CORRAL_NODE_ADB_CONNECT": "",
    }

    config = load_node_config({}, environ)

    assert (config.drivers, config.labels, config.adb_connect) == (["adb", "vendor"], {"room": "4", "rack": "b"}, [])


def test_a_nodes_own_token_wins_over_the_shared_secret_and_neither_shows() -> None:
    config = load_node_config({}, {"NODE_AGENT_SHARED_SECRET": "shared-secret", "CORRAL_NODE_TOKEN": "token-of-mine"})

    assert config.secret == Secret("token-of-mine")
    assert "token-of-mine" not in repr(config)
    assert config.secrets == ["token-of-mine"]


def test_without_a_name_the_node_is_called_like_its_computer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("socket.gethostname", lambda: "büro 1.example.org")

    assert load_node_config({}, {}).id == "b-ro-1"


@pytest.mark.parametrize(
    ("environ", "path"),
    [
        ({"CORRAL_NODE_SERVER_URL": "ftp://farm"}, "server_url"),
        ({"CORRAL_NODE_ID": "no spaces"}, "node_id"),
        ({"CORRAL_NODE_MAX_CONCURRENCY": "0"}, "CORRAL_NODE_MAX_CONCURRENCY"),
        ({"CORRAL_NODE_DRIVERS": ","}, "drivers"),
    ],
)
def test_settings_that_make_no_sense_are_refused(environ: dict[str, str], path: str) -> None:
    with pytest.raises(ConfigInvalidError) as caught:
        load_node_config({}, environ)

    assert caught.value.path == path


def test_an_unknown_setting_of_the_nodes_table_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "corral.toml"
    file.write_text("[node]\nslots = 1\n")

    with pytest.raises(ConfigInvalidError, match=r"unknown setting node\.slots"):
        load_node_config({}, {}, file=file)
