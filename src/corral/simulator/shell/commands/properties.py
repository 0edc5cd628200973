"""What the phone is and how it does: getprop, setprop, id, uptime, date, ps, reboot."""

from __future__ import annotations

import re
import zlib
from typing import TYPE_CHECKING, Final

from corral.simulator.shell.call import Call, command

if TYPE_CHECKING:
    from corral.simulator.phone.phone import Phone

_MAX_VALUE: Final = 91


def properties(phone: Phone) -> dict[str, str]:
    """All properties as of now. Those of the start depend on how far it is."""
    boot = {"sys.boot_completed": "1", "dev.bootcomplete": "1"} if phone.has_booted else {}
    anim = {"init.svc.bootanim": "stopped" if phone.has_booted else "running"}
    return {**phone.properties, **boot, **anim}


@command("getprop", reads=True)
async def getprop(call: Call) -> int:
    known = properties(call.phone)
    if call.args:
        default = call.args[1] if len(call.args) > 1 else ""
        await call.print(known.get(call.args[0], default))
        return 0
    await call.write("".join(f"[{name}]: [{known[name]}]\n" for name in sorted(known)).encode())
    return 0


@command("setprop")
async def setprop(call: Call) -> int:
    if len(call.args) != 2:  # noqa: PLR2004 - name, value
        return await call.fail("usage: setprop NAME VALUE")
    name, value = call.args
    if name.startswith("ro.") and name in call.phone.properties:
        return await call.fail(f"Failed to set property '{name}' to '{value}'.\nSee dmesg for error reason.")
    if len(value) > _MAX_VALUE:
        return await call.fail(f"setprop: value too long: {value[:20]}…")
    call.phone.properties[name] = value
    return 0


@command("id", reads=True)
async def who(call: Call) -> int:
    groups = "2000(shell),1004(input),1007(log),1011(adb),1015(sdcard_rw),3003(inet)"
    await call.print(f"uid=2000(shell) gid=2000(shell) groups={groups} context=u:r:shell:s0")
    return 0


@command("whoami", reads=True)
async def whoami(call: Call) -> int:
    await call.print("shell")
    return 0


@command("uptime", reads=True)
async def uptime(call: Call) -> int:
    minutes = int(call.phone.uptime_s) // 60
    now = f"{call.phone.clock.today():%H:%M:%S}"
    await call.print(f" {now} up {minutes // 60:2d}:{minutes % 60:02d},  0 users,  load average: 0.42, 0.51, 0.48")
    return 0


@command("uname", reads=True)
async def uname(call: Call) -> int:
    whole = "Linux localhost 5.10.198-android13 #1 SMP PREEMPT aarch64 Toybox"
    await call.print(whole if "-a" in call.args else "Linux")
    return 0


@command("date", reads=True)
async def date(call: Call) -> int:
    today = call.phone.clock.today()
    form = next((arg[1:] for arg in call.args if arg.startswith("+")), "%a %b %e %H:%M:%S %Z %Y")
    await call.print(today.strftime(form.replace("%s", str(int(today.timestamp())))))
    return 0


def process_id(package: str) -> int:
    """A number that looks like one, the same for the same package."""
    return 1000 + zlib.crc32(package.encode()) % 30000


@command("pidof", reads=True)
async def pidof(call: Call) -> int:
    found = [str(process_id(name)) for name in call.args if call.phone.desktop.is_running(name)]
    if not found:
        return 1
    await call.print(" ".join(found))
    return 0


@command("ps", reads=True)
async def ps(call: Call) -> int:
    await call.print("USER           PID  PPID     VSZ    RSS WCHAN            ADDR S NAME")
    running = [package.name for package in call.phone.packages.all() if call.phone.desktop.is_running(package.name)]
    for name in ["com.android.systemui", *running]:
        await call.print(
            f"u0_a{process_id(name) % 300:<8} {process_id(name):>6}   812 1612340 104312 do_epoll_wait 0 S {name}"
        )
    return 0


@command("reboot")
async def reboot(call: Call) -> int:
    call.phone.reboot()
    return 0


@command("logcat", reads=True)
async def logcat(call: Call) -> int:
    """A short log; with -c it is cleared, and nothing follows it for ever."""
    if "-c" not in call.args:
        await call.print("--------- beginning of main")
        text = f"I/Corral  ( 1234): simulated phone {call.phone.serial}"
        if all(not re.fullmatch(r"[^-].*:S", arg) for arg in call.args):
            await call.print(text)
    return 0
