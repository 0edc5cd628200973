"""Tags: the vendor's own groups of phones."""

from __future__ import annotations

from typing import Any

from corral.simulator.vendor.request import Request, VendorError, action


@action("getTags")
async def get_tags(request: Request) -> list[dict[str, Any]]:
    return [{"name": name, "devices": serials} for name, serials in request.state.tags.items()]


@action("addTag")
async def add_tag(request: Request) -> None:
    request.state.tags.setdefault(request.text("name"), [])


@action("removeTag")
async def remove_tag(request: Request) -> None:
    _tag(request, request.text("name"))
    del request.state.tags[request.text("name")]


@action("updateTag")
async def update_tag(request: Request) -> None:
    _tag(request, request.text("oldName"))
    request.state.tags[request.text("name")] = request.state.tags.pop(request.text("oldName"))


@action("addTagDevice")
async def add_tag_device(request: Request) -> None:
    tagged = _tag(request, request.text("name"))
    tagged += [phone.serial for phone in request.phones if phone.serial not in tagged]


@action("removeTagDevice")
async def remove_tag_device(request: Request) -> None:
    tagged = _tag(request, request.text("name"))
    tagged[:] = [serial for serial in tagged if serial not in {phone.serial for phone in request.phones}]


def _tag(request: Request, name: str) -> list[str]:
    if name not in request.state.tags:
        raise VendorError(f"no tag {name}")
    return request.state.tags[name]
