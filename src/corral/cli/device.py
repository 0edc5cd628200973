"""`corral device`: what a person may change about a phone."""

from typing import Annotated

from cyclopts import App, Parameter

from corral.cli.options import DEFAULT, Options
from corral.cli.output import look, make_console, print_json, text_or_dash
from corral.model.errors import InvalidRequestError
from corral.model.records import Device

app = App(
    name="device",
    help="Show or change a device. DEVICE is its number, its serial or its id.",
    help_format="plaintext",
)
SignedWords = Annotated[list[str], Parameter(negative_iterable="", allow_leading_hyphen=True)]


@app.command
def show(device: str, /, *, options: Options = DEFAULT) -> None:
    """Show all that is known of a device.

    Parameters
    ----------
    device
        Its number, its serial or its id.
    """
    with options.client() as client:
        found = client.devices.find(device)
    if options.json:
        print_json(found)
        return
    console = make_console()
    for name in Device.__struct_fields__:
        value = getattr(found, name)
        console.print(
            f"{name.replace('_', ' '):<20}{', '.join(value) if isinstance(value, list) else text_or_dash(value)}"
        )


@app.command
def quarantine(device: str, /, *, reason: str, options: Options = DEFAULT) -> None:
    """Take a device out of service.

    Parameters
    ----------
    device
        Its number, its serial or its id.
    reason
        Why: whoever finds it out of service reads this.
    """
    with options.client() as client:
        _say(client.devices.quarantine(client.devices.find(device).device_id, reason=reason), options)


@app.command
def release(device: str, /, *, options: Options = DEFAULT) -> None:
    """Put a device back into service.

    Parameters
    ----------
    device
        Its number, its serial or its id.
    """
    with options.client() as client:
        _say(client.devices.release(client.devices.find(device).device_id), options)


@app.command
def label(device: str, text: str, /, *, options: Options = DEFAULT) -> None:
    """Write on a device what people call it.

    Parameters
    ----------
    device
        Its number, its serial or its id.
    text
        The label; "" takes it off.
    """
    with options.client() as client:
        _say(client.devices.update(client.devices.find(device).device_id, label=text), options)


@app.command
def tag(device: str, tags: SignedWords, /, *, options: Options = DEFAULT) -> None:
    """Give a device tags, which runs and lists choose devices by.

    Parameters
    ----------
    device
        Its number, its serial or its id.
    tags
        Words; one that begins with + is added, one that begins with - or ~ is taken off. Without signs, these and no others.
    """
    with options.client() as client:
        found = client.devices.find(device)
        _say(client.devices.update(found.device_id, tags=change_tags(found.tags, tags)), options)


@app.command
def number(device: str, index: int, /, *, options: Options = DEFAULT) -> None:
    """Give a device another number; where another device has it, the two swap.

    Parameters
    ----------
    device
        Its number, its serial or its id.
    index
        The number that it is to have.
    """
    with options.client() as client:
        _say(client.devices.update(client.devices.find(device).device_id, index_no=index), options)


def change_tags(present: list[str], words: list[str]) -> list[str]:
    """The tags that a device has after `+new -old`, or after a plain list."""
    if flag := next((word for word in words if word.startswith("--")), None):
        raise InvalidRequestError(f"{flag} is no flag of this command, and no tag to take off", path="tags")
    plain = [word for word in words if word[:1] not in {"+", "-", "~"}]
    kept = plain or [each for each in present if not {f"-{each}", f"~{each}"} & {*words}]
    return list(dict.fromkeys([*kept, *(word[1:] for word in words if word.startswith("+") and len(word) > 1)]))


def _say(device: Device, options: Options) -> None:
    if options.json:
        print_json(device)
        return
    health = device.health if device.health_reason is None else f"{device.health}: {device.health_reason}"
    told = [f"device {device.index_no}", device.serial, look(device.health, health)]
    told += [f"label {device.label}"] if device.label else []
    told += [f"tags {', '.join(device.tags)}"] if device.tags else []
    make_console().print(*told)
