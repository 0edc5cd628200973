"""`corral session open` as a person uses it, with adb beside it."""

from __future__ import annotations

import asyncio
import json
import re
import signal
from pathlib import Path

from tests.api.client import OPERATOR_TOKEN
from tests.cli.conftest import Cli
from tests.node.conftest import MakeRig
from tests.simulator.adb import Adb, AdbPhone

PATIENCE_S = 60


async def test_opening_a_session_prints_an_address_for_adb_until_ctrl_c(
    make_rig: MakeRig, adb: Adb, tmp_path: Path
) -> None:
    async with make_rig(1) as rig, rig.node(), asyncio.timeout(PATIENCE_S):
        cli = Cli(tmp_path, CORRAL_URL=rig.server.url, CORRAL_TOKEN=OPERATOR_TOKEN)
        process = await cli.start("session", "open", "--purpose", "a look")
        try:
            assert process.stdout is not None
            said = ""
            while not (found := re.search(r"adb at (127\.0\.0\.1:\d+)", said)):
                line = (await process.stdout.readline()).decode()
                assert line, said
                said += line
            phone = AdbPhone(adb, found[1])
            assert (await adb("connect", phone.address)).text.startswith("connected to")
            assert (await phone("shell", "getprop ro.serialno")).text.strip() == rig.fleet.phones[0].serial

            process.send_signal(signal.SIGINT)
            _, err = await process.communicate()

            assert (process.returncode, "Traceback" in err.decode()) == (0, False), err
            assert (await phone("shell", "echo still there")).status != 0
            (session,) = json.loads(await cli("session", "list", "--all", "--json"))["sessions"]
            assert (session["end_reason"], session["purpose"]) == ("released", "a look")
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
            await adb("disconnect")
