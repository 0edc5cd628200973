"""Settings and services: settings, svc, locksettings, ime."""

from __future__ import annotations

from corral.simulator.shell.call import Call, command


@command("settings", reads=("get", "list"))
async def settings(call: Call) -> int:
    tables = call.phone.settings
    match list(call.args):
        case ["get", table, name] if table in tables:
            await call.print(tables[table].get(name, "null"))
        case ["put", table, name, *value] if table in tables and value:
            tables[table][name] = value[0]
        case ["delete", table, name] if table in tables:
            gone = tables[table].pop(name, None)
            await call.print(f"Deleted {int(gone is not None)} rows")
        case ["list", table] if table in tables:
            for stored in sorted(tables[table].items()):
                await call.print("=".join(stored))
        case ["get" | "put" | "delete" | "list", *_]:
            return await call.fail("Invalid namespace or arguments: system, secure or global, then a name", 255)
        case _:
            return await call.fail("Settings provider (settings) commands:\n  get, put, delete, list", 255)
    return 0


@command("svc")
async def svc(call: Call) -> int:
    """Wi-Fi and mobile data on and off; power stayon."""
    table = call.phone.settings["global"]
    match list(call.args):
        case ["wifi", "enable" | "disable" as state]:
            table["wifi_on"] = str(int(state == "enable"))
        case ["data", "enable" | "disable" as state]:
            table["mobile_data"] = str(int(state == "enable"))
        case ["power", "stayon", value]:
            table["stay_on_while_plugged_in"] = {"true": "7", "usb": "2", "ac": "1"}.get(value, "0")
        case ["power", "reboot", *_]:
            call.phone.reboot()
        case _:
            return await call.fail("Available commands:\n    power, data, wifi")
    return 0


@command("locksettings", reads=("get-disabled",))
async def locksettings(call: Call) -> int:
    desktop = call.phone.desktop
    match list(call.args):
        case ["set-pin", pin] if pin.isdigit():
            desktop.pin = pin
            await call.print(f"Pin set to '{pin}'")
        case ["clear", "--old", pin] if pin == desktop.pin:
            desktop.pin = ""
            await call.print("Lock credential cleared")
        case ["clear", *_] if not desktop.pin:
            await call.print("Lock credential cleared")
        case ["get-disabled"]:
            await call.print(str(not desktop.pin).lower())
        case ["set-disabled", "true" | "1"]:
            desktop.dismiss_lock()
            await call.print("Lock screen disabled set to true")
        case ["set-pin" | "clear", *_]:
            return await call.fail("Old password provided but user has a different one, or none was given")
        case _:
            return await call.fail("lockSettings service commands:\n  set-pin, clear, get-disabled, set-disabled")
    return 0


@command("ime", reads=("list",))
async def ime(call: Call) -> int:
    table = call.phone.settings["secure"]
    match list(call.args):
        case ["list", *_]:
            await call.print(table["default_input_method"])
        case ["set", name]:
            table["default_input_method"] = name
            await call.print(f"Input method {name} selected for user #0")
        case ["enable" | "disable" as verb, name]:
            await call.print(f"Input method {name}: now {verb}d for user #0")
        case _:
            return await call.fail("usage: ime list|set|enable|disable")
    return 0
