import re
import zlib
from xml.etree import ElementTree as ET

import pytest

from corral.simulator.phone.phone import Phone
from corral.simulator.scenario.model import Setup
from corral.simulator.screen.font import BULLET, GLYPHS
from corral.simulator.screen.png import PictureError, read_png
from corral.simulator.screen.read import read_screen
from tests.simulator.handset import make_fleet, make_phone, sh


def lines(phone: Phone) -> list[str]:
    return [line.strip() for line in read_screen(phone.screenshot())]


def node(phone: Phone, **wanted: str) -> ET.Element:
    """The one node of the dump with these attributes."""
    found = [
        each
        for each in ET.fromstring(phone.hierarchy()).iter("node")
        if all(each.get(name.replace("_", "-")) == value for name, value in wanted.items())
    ]
    assert len(found) == 1, (wanted, phone.hierarchy())
    return found[0]


def middle(element: ET.Element) -> str:
    left, top, right, bottom = map(int, re.findall(r"\d+", element.get("bounds", "")))
    return f"{(left + right) // 2} {(top + bottom) // 2}"


async def tap(phone: Phone, **wanted: str) -> None:
    assert (await sh(phone, f"input tap {middle(node(phone, **wanted))}")).status == 0


async def opened(phone: Phone, activity: str = ".MainActivity") -> Phone:
    await sh(phone, f"am start -n dev.corral.demo/{activity}")
    return phone


def test_every_glyph_is_whole_and_unlike_any_other() -> None:
    assert all(len(rows) == 8 and all(len(row) == 5 for row in rows) for rows in GLYPHS.values())
    assert len(set(GLYPHS.values())) == len(GLYPHS) == 96


@pytest.mark.parametrize(("width", "height"), [(360, 780), (1080, 2340), (720, 1600), (411, 731)])
def test_a_screen_of_any_size_can_be_read_back(width: int, height: int) -> None:
    phone = make_phone(setup=Setup(width=width, height=height))
    picture = phone.screenshot()

    assert (read_png(picture).width, read_png(picture).height) == (width, height)
    assert read_screen(picture)[0] == f"12:00 {phone.serial} {phone.battery}%"
    assert "Corral Demo" in lines(phone)


def test_every_phone_shows_its_own_serial() -> None:
    fleet = make_fleet(20)

    assert [lines(phone)[0].split()[1] for phone in fleet.phones] == [phone.serial for phone in fleet.phones]


def test_a_picture_that_is_cut_short_or_damaged_is_not_read() -> None:
    picture = make_phone().screenshot()
    damaged = bytearray(picture)
    damaged[len(picture) // 2] ^= 0xFF

    for broken in (b"", b"garbage", picture[:-1], picture[:100], bytes(damaged)):
        with pytest.raises(PictureError):
            read_screen(broken)


def test_the_picture_is_a_png_by_the_book() -> None:
    picture = make_phone().screenshot()

    assert picture[:8] == b"\x89PNG\r\n\x1a\n"
    assert picture[12:16] == b"IHDR"
    assert picture[-12:] == b"\0\0\0\0IEND" + zlib.crc32(b"IEND").to_bytes(4)


async def test_logging_in_changes_the_screen_and_hides_the_password() -> None:
    phone = await opened(make_phone())

    await tap(phone, resource_id="dev.corral.demo:id/username")
    await sh(phone, "input text ada%slovelace")
    await tap(phone, resource_id="dev.corral.demo:id/password")
    await sh(phone, "input text secret")

    assert {"ada lovelace", BULLET * 6} <= set(lines(phone))
    assert "secret" not in "".join(lines(phone)) + phone.hierarchy()
    field = node(phone, resource_id="dev.corral.demo:id/password")
    assert (field.get("password"), field.get("focused"), field.get("text")) == ("true", "true", BULLET * 6)

    await tap(phone, text="Sign in")

    assert "Welcome, ada lovelace" in lines(phone)
    assert node(phone, text="Welcome, ada lovelace") is not None


@pytest.mark.parametrize(("password", "message"), [("wrong", "Wrong password"), ("", "Enter username and password")])
async def test_a_failed_login_says_why(password: str, message: str) -> None:
    phone = await opened(make_phone())
    await tap(phone, resource_id="dev.corral.demo:id/username")
    await sh(phone, f"input text ada; input keyevent KEYCODE_TAB; input text '{password}'; input keyevent 66")

    assert message in lines(phone)
    assert node(phone, text=message).get("resource-id") == "dev.corral.demo:id/error"


async def test_text_without_a_focused_field_is_lost() -> None:
    phone = await opened(make_phone())
    before = lines(phone)

    await sh(phone, "input text nobody")

    assert lines(phone) == before


async def test_a_list_scrolls_with_the_finger() -> None:
    phone = await opened(make_phone(), ".ListActivity")
    assert "Item 1" in lines(phone)

    phone.desktop.swipe((180, 600), (180, 200))
    assert "Item 1" not in lines(phone)
    assert "Item 12" in lines(phone)
    phone.desktop.swipe((180, 200), (180, 900))

    assert "Item 1" in lines(phone)
    await tap(phone, text="Item 3")
    assert "Chosen: Item 3" in lines(phone)


async def test_a_video_plays_and_pauses() -> None:
    fleet = make_fleet()
    phone = await opened(fleet.phones[0], ".VideoActivity")
    await fleet.clock.advance(65)  # type: ignore[attr-defined] # the clock of these tests
    assert {"Playing", "1:05 / 3:00"} <= set(lines(phone))

    await tap(phone, text="Pause")
    await fleet.clock.advance(30)  # type: ignore[attr-defined]

    assert {"Paused", "1:05 / 3:00"} <= set(lines(phone))


async def test_a_browser_shows_where_it_was_sent() -> None:
    phone = make_phone()
    await sh(phone, "am start -a android.intent.action.VIEW -d https://example.org/page")

    assert "https://example.org/page" in lines(phone)
    assert node(phone, resource_id="com.android.chrome:id/url_bar").get("text") == "https://example.org/page"


async def test_keys_go_home_and_back() -> None:
    phone = await opened(make_phone())
    await sh(phone, "am start -n dev.corral.demo/.ListActivity; input keyevent BACK")
    assert "Username" in lines(phone)

    await sh(phone, "input keyevent KEYCODE_HOME")
    assert "Home" in lines(phone)
    await tap(phone, text="Corral Demo")

    assert "Username" in lines(phone)


async def test_a_sleeping_phone_is_dark_and_feels_nothing() -> None:
    phone = await opened(make_phone())
    await sh(phone, "input keyevent POWER")

    assert not any(lines(phone))
    assert "mWakefulness=Asleep" in (await sh(phone, "dumpsys power")).out
    assert (await sh(phone, "uiautomator dump /dev/tty")).status == 1

    await sh(phone, "input tap 180 150; input keyevent WAKEUP")
    assert "Username" in lines(phone)


async def test_a_locked_phone_opens_to_a_swipe_or_to_its_pin() -> None:
    phone = make_phone(setup=Setup(is_locked=True))
    assert "Swipe up to unlock" in lines(phone)
    await sh(phone, "wm dismiss-keyguard")
    assert "Home" in lines(phone)

    await sh(phone, "locksettings set-pin 1234; input keyevent SLEEP; input keyevent WAKEUP; wm dismiss-keyguard")
    assert "Enter PIN" in lines(phone)
    await sh(phone, "input text 0000; input keyevent ENTER")
    assert "Enter PIN" in lines(phone)
    await sh(phone, "input text 1234; input keyevent ENTER")

    assert "Home" in lines(phone)


@pytest.mark.parametrize(
    "app", ["dev.corral.demo/.MainActivity", "dev.corral.demo/.ListActivity", "com.android.settings/.Settings"]
)
async def test_the_dump_and_the_picture_agree(app: str) -> None:
    phone = make_phone()
    await sh(phone, f"am start -n {app}")
    shown = read_screen(phone.screenshot())
    across, down = phone.grid.cell_width, phone.grid.cell_height

    texts = [each for each in ET.fromstring(phone.hierarchy()).iter("node") if each.get("text")]

    assert texts
    for each in texts:
        left, top, right, bottom = map(int, re.findall(r"\d+", each.get("bounds", "")))
        inside = [line[left // across : right // across] for line in shown[top // down : bottom // down]]
        assert any(str(each.get("text")) in line for line in inside), each.attrib


async def test_a_dump_goes_to_a_file_or_to_the_terminal() -> None:
    phone = make_phone()

    assert (await sh(phone, "uiautomator dump")).out == "UI hierchary dumped to: /sdcard/window_dump.xml\n"
    assert (await sh(phone, "cat /sdcard/window_dump.xml")).out == phone.hierarchy()
    to_terminal = (await sh(phone, "uiautomator dump /dev/tty")).out
    assert to_terminal == f"{phone.hierarchy()}UI hierchary dumped to: /dev/tty\n"
