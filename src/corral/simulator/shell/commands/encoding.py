"""Bytes as text and in pieces: base64, dd."""

from __future__ import annotations

import base64 as codec
import binascii
from typing import Final

from corral.simulator.shell.call import Call, command

_COLUMNS: Final = 76
_BLOCK: Final = 512


@command("base64", reads=True)
async def base64(call: Call) -> int:
    """Encode, in lines of 76 as toybox does, or decode with -d."""
    names = [arg for arg in call.args if not arg.startswith("-")]
    data = call.phone.files.read(call.path(names[0])) if names else await call.input()
    if "-d" in call.args:
        try:
            await call.write(codec.b64decode(b"".join(data.split()), validate=True))
        except binascii.Error:
            return await call.fail("base64: bad input")
        return 0
    text = codec.b64encode(data)
    await call.write(b"".join(text[at : at + _COLUMNS] + b"\n" for at in range(0, len(text), _COLUMNS)))
    return 0


@command("dd")
async def dd(call: Call) -> int:
    """Copy blocks from `if` to `of`, or through; bs, skip and count are understood."""
    options = dict(arg.split("=", 1) for arg in call.args if "=" in arg)
    try:
        size, skip, count = (int(options.get(name, "0")) for name in ("bs", "skip", "count"))
    except ValueError:
        return await call.fail("dd: bad number")
    data = call.phone.files.read(call.path(options["if"])) if "if" in options else await call.input()
    size = size or _BLOCK
    data = data[skip * size : (skip + count) * size if count else None]
    if "of" in options:
        call.phone.files.write(call.path(options["of"]), data)
    else:
        await call.write(data)
    await call.io.err(f"{len(data) // size}+{int(len(data) % size > 0)} records out\n".encode())
    return 0
