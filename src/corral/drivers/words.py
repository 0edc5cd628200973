"""What a person should do about a phone, in the same words on every driver."""

from typing import Final

AUTHORIZE: Final = "confirm on the phone that this computer may debug it (tick 'Always allow')"
PERMISSIONS: Final = "this user may not open the USB device: add a udev rule for it, then replug the phone"
