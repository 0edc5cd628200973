"""The vendor's program, for what no other action covers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from corral.model.errors import ActionFailedError
from corral.node.actions.commands import shortened
from corral.node.actions.protocol import Action, Bench
from corral.workflow.catalog.vendor import VendorCallArgs, VendorCallOutput

SUCCESS: Final = 10_000


async def call(bench: Bench, args: VendorCallArgs) -> VendorCallOutput:
    """Raises ActionFailedError if the answer is anything but success; NotSupportedError where there is no such program."""
    answer = read_answer(await bench.phone.call(args.action, args.data))
    if answer.code != SUCCESS:
        raise ActionFailedError(
            f"{args.action}: the vendor's program answered {answer.code}: {shortened(answer.message)}"
        )
    return answer


def read_answer(answer: Any) -> VendorCallOutput:  # noqa: ANN401 - whatever the vendor answers
    """The envelope of the protocol; an answer without one is the data of a success."""
    if not isinstance(answer, Mapping) or "code" not in answer:
        return VendorCallOutput(code=SUCCESS, message="", data=answer)
    code = str(answer["code"])
    return VendorCallOutput(
        code=int(code) if code.lstrip("-").isdigit() else -1,
        message=str(answer.get("message") or ""),
        data=answer.get("data"),
    )


ACTIONS: dict[str, Action] = {"vendor.call": call}
