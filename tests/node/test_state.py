"""The state directory."""

import subprocess
import sys
from pathlib import Path

import pytest

from corral.model.errors import StateInUseError
from corral.node.state import StateDirectory


def test_it_keeps_its_identity(tmp_path: Path) -> None:
    with StateDirectory(tmp_path / "s", node_id="desk") as first:
        known = first.state_id
    with StateDirectory(tmp_path / "s", node_id="desk") as second:
        assert second.state_id == known != ""


def test_two_agents_cannot_share_it(tmp_path: Path) -> None:
    with (
        StateDirectory(tmp_path, node_id="desk"),
        pytest.raises(StateInUseError, match="another agent"),
        StateDirectory(tmp_path, node_id="desk"),
    ):
        pass


def test_it_belongs_to_one_node(tmp_path: Path) -> None:
    with StateDirectory(tmp_path, node_id="desk"):
        pass

    with pytest.raises(StateInUseError, match="belongs to the node desk"), StateDirectory(tmp_path, node_id="other"):
        pass


def test_an_agent_that_was_killed_does_not_lock_out_its_successor(tmp_path: Path) -> None:
    program = f"""
import os
from pathlib import Path
from corral.node.state import StateDirectory
StateDirectory(Path({str(tmp_path)!r}), node_id="desk").__enter__()
os.kill(os.getpid(), 9)
"""
    subprocess.run([sys.executable, "-c", program], check=False)

    with StateDirectory(tmp_path, node_id="desk") as state:
        assert state.state_id


def test_a_state_id_that_a_power_cut_left_empty_is_made_anew(tmp_path: Path) -> None:
    (tmp_path / "state_id").write_text("")

    with StateDirectory(tmp_path, node_id="desk") as state:
        assert state.state_id
