"""What a session runs: a recipe of one step, which holds the phone until it is stopped."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from corral.workflow.limits import TIMEOUT_LIMITS_S
from corral.workflow.recipe import Recipe, StepSpec, to_json

HOLD_ACTION: Final = "device.hold"
HOLD_NAME: Final = "corral session"
"""What the workflow is called: no recipe of somebody else's can have a name with a space."""

LONGEST_HOLD_S: Final = TIMEOUT_LIMITS_S[1]
"""However often it is renewed, a session lasts no longer."""

_RECIPE: Final = Recipe(
    name="session",
    timeout_s=LONGEST_HOLD_S,
    steps=[StepSpec(id="hold", uses=HOLD_ACTION, timeout_s=LONGEST_HOLD_S, timeout_bounds_s=[*TIMEOUT_LIMITS_S])],
)


def hold_recipe() -> dict[str, Any]:
    """The recipe as it is stored."""
    plain: dict[str, Any] = msgspec.json.decode(to_json(_RECIPE))
    return plain
