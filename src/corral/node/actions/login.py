"""Logging in: open the app, fill in its form, submit, and see that it worked. No value is ever part of a message."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from corral.drivers.protocol import Phone
from corral.model.errors import ActionFailedError, AssertionFailedError
from corral.node.actions.activities import start_app, wait_until_in_front
from corral.node.actions.form import find_button, find_field
from corral.node.actions.hierarchy import Element, matcher
from corral.node.actions.input_ import tap_point
from corral.node.actions.keyboard import hide_keyboard, press, type_text
from corral.node.actions.protocol import Action, Bench
from corral.node.actions.screen import Look, find_text, look
from corral.node.actions.waiting import Patience
from corral.workflow.catalog.app import LoginArgs

_MOST_DELETED = 200


async def login(bench: Bench, args: LoginArgs) -> None:
    """Raises ActionFailedError if the form is not as told, AssertionFailedError if the text does not appear after it."""
    phone = bench.phone
    await start_app(phone, args.package, args.activity)
    await wait_until_in_front(phone, args.package)
    for each in args.fields:
        found = await _appears(phone, find_field, each.field, wait_s=args.wait_s)
        if isinstance(found, Look):
            raise ActionFailedError(f"there is no field '{each.field}' within {args.wait_s:g} s; {found}")
        await _fill(phone, found, each.value)
        bench.log("info", f"filled in '{each.field}'")
    button = await _appears(phone, find_button, args.submit, wait_s=args.wait_s)
    if isinstance(button, Look):
        raise ActionFailedError(f"there is no button '{args.submit}' within {args.wait_s:g} s; {button}")
    await tap_point(phone, *button.centre)
    proof = await find_text(phone, matcher(args.expect_text, "contains"), index=0, wait_s=args.wait_s)
    if isinstance(proof, Look):
        raise AssertionFailedError(f"'{args.expect_text}' did not appear within {args.wait_s:g} s; {proof}")


async def _appears(
    phone: Phone, find: Callable[[Sequence[Element], str], Element | None], name: str, *, wait_s: float
) -> Element | Look:
    patience = Patience(wait_s)
    while True:
        seen = await look(phone)
        if found := find(seen.elements, name):
            return found
        if patience.is_over:
            return seen
        await patience.pause(0.5)


async def _fill(phone: Phone, field: Element, value: str) -> None:
    """Type into a field in place of what it holds. Deleting what turns out to be a hint deletes nothing."""
    await tap_point(phone, *field.centre)
    if field.text:
        await press(phone, "KEYCODE_MOVE_END", *["KEYCODE_DEL"] * min(len(field.text), _MOST_DELETED))
    await type_text(phone, value)
    await hide_keyboard(phone)


ACTIONS: dict[str, Action] = {"app.login": login}
