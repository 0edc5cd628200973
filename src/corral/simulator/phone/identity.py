"""Who a phone is: serial, model, Android version, screen. The same seed and number give the same phone."""

from __future__ import annotations

import hashlib
import random
from typing import Final

from msgspec import Struct

_LETTERS: Final = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"


class Model(Struct, frozen=True):
    """A kind of phone."""

    brand: str
    name: str
    device: str
    product: str
    release: str
    sdk: int
    storage_gb: int


MODELS: Final = (
    Model("google", "Pixel 6a", "bluejay", "bluejay", "14", 34, 128),
    Model("google", "Pixel 7", "panther", "panther", "15", 35, 128),
    Model("google", "Pixel 4a", "sunfish", "sunfish", "13", 33, 128),
    Model("samsung", "SM-A155F", "a15", "a15nsxx", "14", 34, 128),
    Model("samsung", "SM-G991B", "o1s", "o1sxeea", "13", 33, 256),
    Model("xiaomi", "Redmi Note 12", "tapas", "tapas_global", "13", 33, 128),
    Model("motorola", "moto g54", "cancunf", "cancunf_g", "14", 34, 256),
    Model("oneplus", "CPH2409", "OP555BL1", "CPH2409", "12", 31, 128),
)


class Identity(Struct, frozen=True, kw_only=True):
    """What does not change while a phone lives."""

    index: int
    """Its number in the fleet, from 1."""

    serial: str
    model: Model
    width: int
    height: int
    battery: int
    celsius: float
    voltage_mv: int


def identify(seed: int, index: int, *, width: int, height: int) -> Identity:
    """The phone of this number in the fleet of this seed."""
    story = story_of(seed, "identity", index)
    return Identity(
        index=index,
        serial=_serial(seed, index),
        model=story.choice(MODELS),
        width=width,
        height=height,
        battery=story.randint(55, 100),
        celsius=round(story.uniform(24.0, 33.0), 1),
        voltage_mv=story.randint(3900, 4350),
    )


def story_of(seed: int, *about: object) -> random.Random:
    """Randomness that depends on nothing but the seed and what it is about."""
    return random.Random("|".join(map(str, (seed, *about))))  # noqa: S311 - a story to be repeated, not a secret


def share_of(seed: int, *about: object) -> float:
    """A number in [0, 1) that depends on nothing else."""
    digest = hashlib.sha256("|".join(map(str, (seed, *about))).encode()).digest()
    return int.from_bytes(digest[:8]) / 2**64


def _serial(seed: int, index: int) -> str:
    digest = hashlib.sha256(f"{seed}|serial|{index}".encode()).digest()
    return f"SIM{index:04d}" + "".join(_LETTERS[byte % len(_LETTERS)] for byte in digest[:6])


def base_properties(identity: Identity) -> dict[str, str]:
    """What `getprop` shows of the phone as it left the factory."""
    model = identity.model
    build = f"SIM{model.sdk}.{identity.serial[-4:]}"
    fingerprint = f"{model.brand}/{model.product}/{model.device}:{model.release}/{build}/1:user/release-keys"
    return {
        "dalvik.vm.heapsize": "512m",
        "gsm.sim.state": "ABSENT",
        "net.hostname": f"android-{identity.serial.lower()}",
        "persist.sys.locale": "en-US",
        "persist.sys.timezone": "UTC",
        "ro.boot.serialno": identity.serial,
        "ro.build.characteristics": "default",
        "ro.build.display.id": build,
        "ro.build.fingerprint": fingerprint,
        "ro.build.id": build,
        "ro.build.type": "user",
        "ro.build.version.release": model.release,
        "ro.build.version.sdk": str(model.sdk),
        "ro.debuggable": "0",
        "ro.hardware": model.device,
        "ro.product.brand": model.brand,
        "ro.product.cpu.abi": "arm64-v8a",
        "ro.product.cpu.abilist": "arm64-v8a,armeabi-v7a,armeabi",
        "ro.product.device": model.device,
        "ro.product.manufacturer": model.brand.capitalize(),
        "ro.product.model": model.name,
        "ro.product.name": model.product,
        "ro.secure": "1",
        "ro.serialno": identity.serial,
        "ro.sf.lcd_density": str(density(identity.width)),
        "sys.usb.state": "adb",
        "wifi.interface": "wlan0",
    }


def density(width: int) -> int:
    """Dots per inch of a screen that is 360 dp wide."""
    return max(120, width * 160 // 360)
