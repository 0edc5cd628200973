"""Settings: flags over environment over file, and secrets that do not show."""

from pathlib import Path

import pytest

from corral.config import ENVIRONMENT, Secret, ServerConfig, from_bytes, is_loopback, load_server_config, to_bytes
from corral.model.errors import ConfigInvalidError

NODE, TOKEN = "a-node-secret", "an-operator-token"


def write(path: Path, text: str) -> Path:
    file = path / "corral.toml"
    file.write_text(text, encoding="utf-8")
    return file


def test_nothing_told_is_a_server_for_this_machine() -> None:
    config = load_server_config({}, {})

    assert (config.host, config.port, config.workers) == ("127.0.0.1", 8080, 1)
    assert (config.event_retention_days, config.retention_interval_hours) == (30, 24)


def test_flags_win_over_the_environment_and_that_over_the_file(tmp_path: Path) -> None:
    file = write(tmp_path, "[server]\nport = 1\nworkers = 2\nlog_level = 'debug'\n")

    config = load_server_config(
        {"port": 3, "workers": None}, {"CORRAL_PORT": "2", "CORRAL_WORKERS": "4", "CORRAL_CONFIG": str(file)}
    )

    assert (config.port, config.workers, config.log_level) == (3, 4, "debug")


def test_the_names_that_people_know_are_honoured() -> None:
    config = load_server_config(
        {},
        {
            "NODE_AGENT_SHARED_SECRET": NODE,
            "COORDINATOR_PORT": "9000",
            "COORDINATOR_AUTH_TOKEN": TOKEN,
            "COORDINATOR_DATABASE_URL": "postgresql://one",
            "DATABASE_URL": "postgresql://two",
            "COORDINATOR_EVENT_RETENTION_DAYS": "0",
            "COORDINATOR_RETENTION_INTERVAL_HOURS": "1.5",
        },
    )

    assert (config.node_secret, config.operator_token) == (Secret(NODE), Secret(TOKEN))
    assert config.database_url == Secret("postgresql://one")
    assert (config.port, config.event_retention_days, config.retention_interval_hours) == (9000, 0, 1.5)
    assert load_server_config({}, {"DATABASE_URL": "postgresql://two"}).database_url == Secret("postgresql://two")


def test_every_setting_can_be_set_in_the_environment() -> None:
    assert set(ENVIRONMENT) == set(ServerConfig.__struct_fields__)


def test_a_variable_that_is_empty_is_not_set() -> None:
    assert load_server_config({}, {"COORDINATOR_AUTH_TOKEN": "", "CORRAL_PORT": ""}).operator_token is None


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("[server]\nprot = 1", "server.prot"),
        ("[sevrer]\nport = 1", "sevrer"),
        ("port = 1", "port"),
        ("server = 1", "server"),
        ("[server]\nport = 'http'", "server.port"),
        ("[server]\nport = 65536", "server.port"),
        ("[server]\nlog_format = 'xml'", "server.log_format"),
    ],
)
def test_a_file_with_an_unknown_key_or_value_is_refused(tmp_path: Path, text: str, path: str) -> None:
    with pytest.raises(ConfigInvalidError) as caught:
        load_server_config({}, {}, file=write(tmp_path, text))

    assert caught.value.path == path


def test_a_file_that_is_not_there_is_said_plainly(tmp_path: Path) -> None:
    with pytest.raises(ConfigInvalidError, match="cannot read"):
        load_server_config({}, {}, file=tmp_path / "none.toml")


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5", "farm.example"])
def test_another_address_needs_both_secrets(host: str) -> None:
    with pytest.raises(ConfigInvalidError, match="NODE_AGENT_SHARED_SECRET and COORDINATOR_AUTH_TOKEN"):
        load_server_config({"host": host}, {})

    both = {"NODE_AGENT_SHARED_SECRET": NODE, "COORDINATOR_AUTH_TOKEN": TOKEN}
    assert load_server_config({"host": host}, both).host == host


def test_where_nodes_must_be_enrolled_no_shared_secret_is_needed() -> None:
    environ = {"COORDINATOR_AUTH_TOKEN": TOKEN, "CORRAL_REQUIRE_ENROLLED_NODES": "true"}

    assert load_server_config({"host": "0.0.0.0"}, environ).require_enrolled_nodes
    with pytest.raises(ConfigInvalidError, match="set COORDINATOR_AUTH_TOKEN"):
        load_server_config({"host": "0.0.0.0"}, {"CORRAL_REQUIRE_ENROLLED_NODES": "true"})


@pytest.mark.parametrize(
    ("environ", "path"),
    [
        ({"NODE_AGENT_SHARED_SECRET": "short"}, "NODE_AGENT_SHARED_SECRET"),
        ({"NODE_AGENT_SHARED_SECRET": TOKEN, "COORDINATOR_AUTH_TOKEN": TOKEN}, "operator_token"),
        ({"CORRAL_EPHEMERAL": "true", "DATABASE_URL": "postgresql://one"}, "ephemeral"),
        ({"CORRAL_PORT": "many"}, "CORRAL_PORT"),
        ({"CORRAL_TRUSTED_PROXY": "10.0.0.0/99"}, "trusted_proxy"),
        ({"CORRAL_AUTH_FAILURE_LIMIT": "0"}, "CORRAL_AUTH_FAILURE_LIMIT"),
    ],
)
def test_settings_that_make_no_sense_are_refused(environ: dict[str, str], path: str) -> None:
    with pytest.raises(ConfigInvalidError) as caught:
        load_server_config({}, environ)

    assert caught.value.path == path


def test_a_secret_does_not_show_itself() -> None:
    config = ServerConfig(node_secret=Secret(NODE), database_url=Secret("postgresql://u:p@h/d"))

    assert NODE not in repr(config)
    assert "u:p" not in f"{config} {config.node_secret!s} {config.node_secret!r}"


def test_a_worker_is_told_everything() -> None:
    config = ServerConfig(node_secret=Secret(NODE), port=9, operator_token=Secret(TOKEN))

    assert from_bytes(to_bytes(config)) == config


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("localhost", True),
        ("127.8.8.8", True),
        ("::1", True),
        ("::ffff:127.0.0.1", True),
        ("0.0.0.0", False),
        ("localhost.evil", False),
        ("", False),
    ],
)
def test_loopback_is_this_machine_alone(host: str, *, expected: bool) -> None:
    assert is_loopback(host) is expected


@pytest.mark.parametrize(
    "url",
    [
        "youtube.com",
        "ftp://cache",
        "http://",
        "http://me:secret@cache",
        "https://cache/?a=b",
        "http://cache:x",
        "http://[::1",
    ],
)
def test_what_stands_in_for_youtube_is_a_plain_address(url: str) -> None:
    with pytest.raises(ConfigInvalidError) as raised:
        load_server_config({}, {"CORRAL_YOUTUBE_URL": url})

    assert raised.value.path == "youtube_url"
    assert "secret@" not in raised.value.message


def test_a_key_of_youtubes_is_a_secret() -> None:
    config = load_server_config(
        {}, {"CORRAL_YOUTUBE_API_KEY": "AIza-something", "CORRAL_YOUTUBE_URL": "http://cache:81"}
    )

    assert "AIza" not in repr(config)
    assert "AIza-something" in config.secrets
    with pytest.raises(ConfigInvalidError, match="no key has"):
        load_server_config({}, {"CORRAL_YOUTUBE_API_KEY": "a\nkey"})
