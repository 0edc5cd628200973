"""What this node can do for distributed steps: what its settings say, and every action that it can execute."""

from __future__ import annotations

from collections.abc import Mapping

from corral.node.actions.maestro import find_maestro
from corral.node.actions.registry import NodeAction
from corral.node.config import NodeConfig
from corral.workflow import LOCAL
from corral.workflow.catalog.testing import MAESTRO


def list_capabilities(config: NodeConfig, actions: Mapping[str, NodeAction]) -> list[str]:
    """The node's capabilities, by name. An action that needs one which the node lacks (shell.run: shell) is not offered."""
    own = {*config.capabilities, LOCAL, *(["shell"] if config.allow_shell else [])}
    if find_maestro() is not None:
        own.add(MAESTRO)
    able = {name for name, action in actions.items() if action.spec.capability in {None, *own}}
    return sorted(own | able)
