import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corral.simulator.apk import make_apk
from corral.simulator.scenario.model import StorageFull
from corral.simulator.shell.parse import parse
from corral.simulator.shell.reading import is_read_only
from corral.simulator.shell.tokens import ShellSyntaxError
from tests.simulator.handset import make_phone, sh

OLDER = "Downgrade detected: Update version code 1 is older than current 2"


@pytest.mark.parametrize(
    ("line", "output"),
    [
        ("echo hello", "hello\n"),
        ("echo 'a  b' \"c  d\" e\\ f", "a  b c  d e f\n"),
        ("echo -n a; echo b", "ab\n"),
        (r"echo -e 'a\tb\x41'", "a\tbA\n"),
        ("true && echo yes || echo no", "yes\n"),
        ("false && echo yes || echo no", "no\n"),
        ("false; echo $?", "1\n"),
        ("! false; echo $?", "0\n"),
        ("(exit 5); echo $?", "5\n"),
        ("X=1; (X=2; echo $X); echo $X", "2\n1\n"),
        ("{ echo a; echo b; } | wc -l", "2\n"),
        ("X='a b'; echo $X ${X} \"$X\" '$X' ${Y:-none}", "a b a b a b $X none\n"),
        ("echo $(echo in $(echo side)) `echo old`", "in side old\n"),
        ("echo a > /sdcard/f; echo b >> /sdcard/f; cat < /sdcard/f", "a\nb\n"),
        ("nosuch 2>/dev/null; echo $?", "127\n"),
        ("nosuch 2>&1 | wc -l", "1\n"),
        ("echo one # two", "one\n"),
        ("echo a#b", "a#b\n"),
        ("printf '%s=%d\\n' a 1 b 2", "a=1\nb=2\n"),
        ("printf '%%'", "%"),
        ("cd /sdcard && pwd && cd / && pwd", "/sdcard\n/\n"),
        ("touch /sdcard/a.png /sdcard/b.png; ls /sdcard/*.png", "/sdcard/a.png\n/sdcard/b.png\n"),
        ("echo /sdcard/*.none", "/sdcard/*.none\n"),
        ("[ 3 -gt 2 ] && [ -d /sdcard ] && [ ! -e /none ] && test a = a && echo ok", "ok\n"),
        ("sh -c 'echo inner; exit 3'; echo $?", "inner\n3\n"),
        ("echo x | sh -c 'cat'", "x\n"),
        ("printf 'b\\na\\n' | sort | head -n 1", "a\n"),
        ("printf 'one\\ntwo\\n' | grep -v one | tail -1", "two\n"),
        ("echo one\necho two", "one\ntwo\n"),
        ("if false; then echo a; elif true; then echo b; else echo c; fi", "b\n"),
        ("if false; then echo a; else echo c; fi > /sdcard/f; cat /sdcard/f", "c\n"),
        ("if false; then echo a; fi; echo $?", "0\n"),
        ("for x in a 'b c' $(echo d e); do echo -n \"<$x>\"; done", "<a><b c><d><e>"),
        ("for x in 1 2 3 4; do [ $x = 2 ] && continue; [ $x = 4 ] && break; echo $x; done", "1\n3\n"),
        ('X=; while [ "$X" != aaa ]; do X=a$X; done; echo $X', "aaa\n"),
        ('X=; until [ "$X" = aa ]; do X=a$X; done; echo $X', "aa\n"),
        ("for x in b a; do echo $x; done | sort", "a\nb\n"),
        ("for x in a b; do for y in 1 2; do echo $x$y; break; done; done", "a1\nb1\n"),
        ("i=0; while [ $i -lt 3 ]; do i=$((i+1)); echo -n $i; done", "123"),
        ("x=7; echo $((x / 2)) $((-7 / 2)) $((x % 4)) $(( (x + 1) * 2 )) $(($x > 3)) $((none))", "3 -3 3 16 1 0\n"),
        ("echo $((9223372036854775807 + 1))", "-9223372036854775808\n"),
        ("echo if then done", "if then done\n"),
        ("", ""),
        ("echo a;", "a\n"),
    ],
)
async def test_the_shell_means_what_shells_mean(line: str, output: str) -> None:
    assert (await sh(make_phone(), line)).out == output


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("echo 'open", "sh: no closing quote"),
        ('echo "open', "sh: no closing quote"),
        ("echo $(open", "sh: syntax error: unexpected EOF looking for ')'"),
        ("| cat", "sh: syntax error: unexpected '|'"),
        ("echo a &&", "sh: syntax error: unexpected EOF"),
        ("; echo", "sh: syntax error: unexpected ';'"),
        ("(echo a", "sh: syntax error: unexpected EOF"),
        ("echo a)", "sh: syntax error: unexpected ')'"),
        ("echo >", "sh: syntax error: unexpected EOF"),
        ("sleep 1 &", "sh: syntax error: '&': the simulator runs nothing in the background"),
        ("case x in x) :;; esac", "sh: syntax error: 'case' is not simulated"),
        ("if true; then echo", "sh: syntax error: unexpected EOF"),
        ("if true; fi", "sh: syntax error: unexpected 'fi'"),
        ("for 1 in a; do :; done", "sh: syntax error: unexpected '1'"),
        ("done", "sh: syntax error: unexpected 'done'"),
        ("(" * 50, "sh: syntax error: nested too deeply"),
    ],
)
async def test_what_is_no_command_line_is_refused_with_a_reason(line: str, complaint: str) -> None:
    assert await sh(make_phone(), line) == (2, "", f"{complaint}\n")


@pytest.mark.parametrize(
    "expression", ["1 +", "1 / 0", "2 ** 9999", "__import__", "x.y", "'a'", "1 if 2 else 3", "(" * 90]
)
async def test_what_is_no_arithmetic_ends_the_line(expression: str) -> None:
    printed = await sh(make_phone(), f"echo $(({expression})) never")

    assert (printed.status, printed.out) in {(1, ""), (2, ""), (0, "0 never\n")}
    assert (printed.out == "0 never\n") is (expression == "__import__")  # a name like any other, and unset


async def test_an_unknown_command_is_not_found() -> None:
    assert await sh(make_phone(), "frobnicate -x") == (127, "", "sh: frobnicate: inaccessible or not found\n")


@given(line=st.text(alphabet=" abc$(){}`'\"\\|&;<>#=?*\n/.~-", max_size=60))
def test_any_line_is_parsed_or_refused(line: str) -> None:
    with contextlib.suppress(ShellSyntaxError):
        parse(line)


@given(words=st.lists(st.text(min_size=1, max_size=12).filter(lambda word: "'" not in word and "\0" not in word)))
def test_quoted_words_come_through_unchanged(words: list[str]) -> None:
    script = parse("x " + " ".join(f"'{word}'" for word in words))

    (command,) = script.items[0][1].commands
    assert ["".join(part.text for part in word) for word in command.words[1:]] == words  # type: ignore[union-attr] # simple


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("getprop ro.product.model", True),
        ("dumpsys battery | grep level", True),
        ("settings get global wifi_on", True),
        ("settings put global wifi_on 0", False),
        ("input tap 1 2", False),
        ("getprop a; input tap 1 2", False),
        ("getprop > /sdcard/x", False),
        ("getprop 2>/dev/null", True),
        ("screencap -p", True),
        ("pm list packages", True),
        ("pm clear x", False),
        ("echo $(reboot)", False),
        ("frobnicate", False),
        ("for x in 1 2; do getprop a; done", True),
        ("while true; do input tap 1 2; done", False),
        ("if getprop a; then reboot; fi", False),
        ("for x in $(reboot); do :; done", False),
    ],
)
def test_looking_is_told_from_acting(line: str, *, answer: bool) -> None:
    assert is_read_only(line) is answer


async def test_properties_are_read_and_set_but_not_those_of_the_factory() -> None:
    phone = make_phone()

    assert (await sh(phone, "getprop ro.serialno")).out == f"{phone.serial}\n"
    assert (await sh(phone, "setprop debug.x 5 && getprop debug.x; getprop none; getprop none 7")).out == "5\n\n7\n"
    assert (await sh(phone, "setprop ro.serialno x")).status == 1
    assert f"[ro.product.model]: [{phone.identity.model.name}]" in (await sh(phone, "getprop")).out


async def test_files_are_made_moved_copied_and_removed() -> None:
    phone = make_phone()
    made = await sh(
        phone, "mkdir -p /sdcard/a/b && echo x > /sdcard/a/b/f && cp /sdcard/a/b/f /sdcard/a && ls /sdcard/a"
    )
    moved = await sh(phone, "mv /sdcard/a/f /sdcard/a/g && stat -c '%s %F' /sdcard/a/g && md5sum /sdcard/a/g")

    assert made.out == "b\nf\n"
    assert moved.out == "2 regular file\n401b30e3b8b5d629635a5c613cdb7919  /sdcard/a/g\n"
    assert await sh(phone, "rm /sdcard/a") == (1, "", "rm: /sdcard/a: Is a directory\n")
    assert (
        await sh(phone, "rm -rf /sdcard/a /sdcard/none && ls /sdcard/a")
    ).err == "ls: /sdcard/a: No such file or directory\n"


async def test_a_path_has_one_meaning_by_all_its_names() -> None:
    line = "echo x > /sdcard/f; cat /storage/emulated/0/f /mnt/sdcard/f /sdcard/../sdcard/./f"

    assert (await sh(make_phone(), line)).out == "x\nx\nx\n"


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("echo x > /system/x", "Read-only file system"),
        ("echo x > /data/x", "Permission denied"),
        ("echo x > /sdcard/none/x", "No such file or directory"),
        ("echo x > /sdcard", "Is a directory"),
        ("rm -rf /data", "Permission denied"),
        ("rm -rf /sdcard", "Permission denied"),
        ("cat /none", "No such file or directory"),
        ("mkdir /sdcard", "File exists"),
    ],
)
async def test_what_the_shell_user_may_not_do_fails(line: str, complaint: str) -> None:
    printed = await sh(make_phone(), line)

    assert printed.status == 1
    assert complaint in printed.err


async def test_a_full_phone_takes_no_more_and_says_so() -> None:
    phone = make_phone(StorageFull())
    phone.files.touch("/sdcard/empty")

    assert "No space left on device" in (await sh(phone, "echo x > /sdcard/f")).err
    assert (await sh(phone, "df /data")).out.splitlines()[1].split()[3] == "0"
    assert " 0% free" in (await sh(phone, "dumpsys diskstats")).out
    installed = await sh(phone, f"cmd package install -S {len(make_apk('a.b'))}", make_apk("a.b"))
    assert installed.out.startswith("Failure [INSTALL_FAILED_INSUFFICIENT_STORAGE")


async def test_settings_are_kept() -> None:
    phone = make_phone()

    assert (await sh(phone, "settings put system x 5; settings get system x; settings get system y")).out == "5\nnull\n"
    assert (await sh(phone, "svc wifi disable; settings get global wifi_on")).out == "0\n"
    assert (await sh(phone, "settings get nowhere x")).status == 255


async def test_the_battery_can_be_pretended() -> None:
    phone = make_phone()

    shown = (await sh(phone, "dumpsys battery set level 7; dumpsys battery set temp 480; dumpsys battery")).out

    assert "  level: 7\n" in shown
    assert "  temperature: 480\n" in shown
    assert f"  level: {phone.identity.battery}\n" in (await sh(phone, "dumpsys battery reset; dumpsys battery")).out


async def test_starting_an_app_is_reported_as_android_does() -> None:
    phone = make_phone()
    started = await sh(phone, "am start -n dev.corral.demo/.MainActivity")

    assert started.out == "Starting: Intent { cmp=dev.corral.demo/.MainActivity }\n"
    focus = (await sh(phone, "dumpsys window | grep mCurrentFocus")).out
    assert focus == "  mCurrentFocus=Window{5c3a1d0 u0 dev.corral.demo/dev.corral.demo.MainActivity}\n"
    assert (
        "dev.corral.demo/.MainActivity" in (await sh(phone, "dumpsys activity activities | grep ResumedActivity")).out
    )
    assert (await sh(phone, "pidof dev.corral.demo")).status == 0
    assert (await sh(phone, "am force-stop dev.corral.demo; pidof dev.corral.demo")).status == 1


async def test_starting_what_is_not_there_fails_as_android_does() -> None:
    printed = await sh(make_phone(), "am start -n com.none/.Main")

    assert printed.status == 1
    assert printed.err == "Error type 3\nError: Activity class {com.none/com.none.Main} does not exist.\n"
    assert (await sh(make_phone(), "monkey -p com.none 1")).err == "** No activities found to run, monkey aborted.\n"


@pytest.mark.parametrize(
    ("first", "options", "second", "answer"),
    [
        (1, "", 2, "Success\n"),
        (1, "-r", 1, "Success\n"),
        (2, "-r -d", 1, "Success\n"),
        (
            2,
            "",
            1,
            f"Failure [INSTALL_FAILED_VERSION_DOWNGRADE: {OLDER}]\n",
        ),
        (
            1,
            "-R",
            2,
            "Failure [INSTALL_FAILED_ALREADY_EXISTS: Attempt to re-install a.b without first uninstalling.]\n",
        ),
    ],
)
async def test_a_second_installation_follows_androids_rules(first: int, options: str, second: int, answer: str) -> None:
    phone = make_phone()
    phone.files.write("/data/local/tmp/1.apk", make_apk("a.b", first))
    phone.files.write("/data/local/tmp/2.apk", make_apk("a.b", second))

    printed = await sh(phone, f"pm install /data/local/tmp/1.apk; pm install {options} /data/local/tmp/2.apk")

    assert printed.out == f"Success\n{answer}"
    assert printed.status == int(answer != "Success\n")


async def test_a_file_that_is_no_package_is_not_installed() -> None:
    phone = make_phone()
    phone.files.write("/sdcard/x.apk", b"not a zip")

    assert (await sh(phone, "pm install /sdcard/x.apk")).out.startswith("Failure [INSTALL_PARSE_FAILED_NOT_APK")
    assert "Unable to open file" in (await sh(phone, "pm install /sdcard/none.apk")).err


async def test_a_permission_is_granted() -> None:
    phone = make_phone()
    await sh(phone, "pm grant dev.corral.demo android.permission.CAMERA")

    assert "android.permission.CAMERA: granted=true" in (await sh(phone, "dumpsys package dev.corral.demo")).out
    assert (await sh(phone, "pm grant none android.permission.CAMERA")).status == 255


async def test_exec_is_the_last_command_of_a_line() -> None:
    said = await sh(make_phone(), "export A=1; exec echo $A; echo never")

    assert (said.status, said.out) == (0, "1\n")
