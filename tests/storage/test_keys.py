"""Keys are built and parsed from parts that were checked; text from outside never becomes a path as it is."""

import os
import re
import string
from datetime import UTC, datetime, timedelta, timezone
from pathlib import PurePosixPath
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corral.model.errors import KeyInvalidError
from corral.storage.keys import MAX_KEY_LENGTH, ArtifactKey, check_key, file_key, parse_file_key

RUN_ID = UUID("0190b0a6-5d3c-7a10-8000-000000000001")
AT = datetime(2026, 1, 2, 3, 4, 5, 678_900, tzinfo=UTC)
TEXT = "_/node-1/R58M123ABC/0190b0a6-5d3c-7a10-8000-000000000001/20260102T030405678Z-0123abcd.png"

WORD = string.ascii_letters + string.digits
KEYS = st.builds(
    ArtifactKey,
    youtube_video_id=st.none() | st.text(WORD + "_-", min_size=11, max_size=11),
    node_id=st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._-]{0,62}", fullmatch=True),
    device_serial=st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._:@-]{0,127}", fullmatch=True),
    run_id=st.uuids(),
    at=st.datetimes(timezones=st.just(UTC)),
    tag=st.text("0123456789abcdef", min_size=8, max_size=8),
    extension=st.text(string.ascii_lowercase + string.digits, min_size=1, max_size=8),
)
# Arbitrary text, and text made of what attacks are made of.
TEXTS = st.text() | st.lists(
    st.sampled_from(
        ["..", ".", "/", "\\", "\0", "~", "_", "a", "%2e", "\uff0e", "\u2024", "\u2215", "C:", "files", "\n"]
    )
).map("".join)


def key_of(**parts: object) -> ArtifactKey:
    given_parts = {"node_id": "node-1", "device_serial": "R58M123ABC", "run_id": RUN_ID, "at": AT, "tag": "0123abcd"}
    return ArtifactKey(**{**given_parts, **parts})  # type: ignore[arg-type]


def test_an_artifacts_key_has_the_layout_of_the_design() -> None:
    assert str(key_of()) == TEXT
    assert str(key_of(youtube_video_id="dQw4w9WgXcQ")).startswith("dQw4w9WgXcQ/node-1/R58M123ABC/")
    assert str(key_of(extension="txt")).endswith("-0123abcd.txt")


def test_two_artifacts_of_one_device_in_one_instant_have_two_keys() -> None:
    made = {str(ArtifactKey(node_id="n", device_serial="s", run_id=RUN_ID, at=AT)) for _ in range(100)}

    assert len(made) == 100


def test_a_key_is_in_utc_whatever_zone_its_time_has() -> None:
    assert str(key_of(at=AT.astimezone(timezone(timedelta(hours=9))))) == TEXT


@given(KEYS)
def test_a_key_survives_the_round_trip(key: ArtifactKey) -> None:
    text = str(key)

    assert ArtifactKey.parse(text) == key
    assert check_key(text) == text
    assert len(text) <= MAX_KEY_LENGTH


@given(TEXTS)
def test_text_that_parses_is_exactly_its_key(text: str) -> None:
    for parse in (ArtifactKey.parse, parse_file_key):
        try:
            parsed = parse(text)
        except KeyInvalidError:
            continue
        assert text in {str(parsed), f"files/sha256/{str(parsed)[:2]}/{parsed}"}


@given(TEXTS)
def test_no_text_escapes_the_root(text: str) -> None:
    try:
        check_key(text)
    except KeyInvalidError:
        return
    assert re.fullmatch(r"[A-Za-z0-9._:@/-]+", text)
    assert os.path.normpath(f"/root/{text}") == f"/root/{text}"
    assert str(PurePosixPath("/root") / text) == f"/root/{text}"


@given(part=st.sampled_from(["youtube_video_id", "node_id", "device_serial", "tag", "extension"]), text=TEXTS)
def test_no_part_brings_a_separator_in(part: str, text: str) -> None:
    refused_part, key = None, TEXT
    try:
        key = str(key_of(**{part: text}))
    except KeyInvalidError as error:
        refused_part = error.path
    assert refused_part in {None, part}
    assert key.count("/") == 4
    assert check_key(key) == key


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("youtube_video_id", "short"),
        ("youtube_video_id", ""),
        ("youtube_video_id", "../../../etc"),
        ("node_id", ".."),
        ("node_id", ""),
        ("node_id", "n" * 64),
        ("node_id", "n\n"),
        ("node_id", "n\u043ede"),
        ("device_serial", "../x"),
        ("device_serial", "a\\b"),
        ("device_serial", "a\0"),
        ("device_serial", "s" * 129),
        ("device_serial", "\uff11\uff12"),
        ("tag", "0123ABCD"),
        ("extension", "p/g"),
        ("extension", "png.exe"),
        ("extension", ""),
        ("at", datetime(2026, 1, 1)),  # noqa: DTZ001
    ],
)
def test_a_bad_part_is_named(part: str, value: object) -> None:
    with pytest.raises(KeyInvalidError) as raised:
        key_of(**{part: value})

    assert raised.value.path == part


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("", "key"),
        ("/" + TEXT, "key"),
        (TEXT + "/x", "key"),
        ("x" * 10_000, "key"),
        (TEXT.replace("_/", "../"), "youtube_video_id"),
        (TEXT.replace("node-1", ".."), "node_id"),
        (TEXT.replace("R58M123ABC", "..%2f"), "device_serial"),
        (TEXT.replace("0190b0a6", "0190B0A6"), "run_id"),
        (TEXT.replace("0190b0a6-", "0190b0a6"), "run_id"),
        (TEXT.replace("20260102T", "20261302T"), "timestamp"),
        (TEXT.replace("20260102T", "\uff12\uff10260102T"), "timestamp"),
        (TEXT.replace("678Z", "Z"), "timestamp"),
        (TEXT.replace("-0123abcd", ""), "name"),
        (TEXT.replace("0123abcd", "x"), "tag"),
        (TEXT.replace(".png", ".png/.."), "key"),
        (TEXT.replace(".png", ".p\0g"), "extension"),
        (TEXT + "\n", "extension"),
    ],
    ids=ascii,
)
def test_a_key_with_a_bad_part_is_refused_by_that_parts_name(text: str, part: str) -> None:
    with pytest.raises(KeyInvalidError) as raised:
        ArtifactKey.parse(text)

    assert raised.value.path == part
    assert raised.value.message.isprintable()
    assert len(raised.value.message) < 200


def test_an_input_files_key_is_its_contents() -> None:
    sha256 = "ab" * 32

    assert file_key(sha256) == f"files/sha256/ab/{sha256}"
    assert parse_file_key(file_key(sha256)) == sha256


@pytest.mark.parametrize("key", ["", "files/sha256/ab/" + "cd" * 32, "files/sha256/ab/ab", "x/" + "ab" * 32])
def test_what_is_no_input_files_key_is_refused(key: str) -> None:
    with pytest.raises(KeyInvalidError):
        parse_file_key(key)


@pytest.mark.parametrize("sha256", ["", "AB" * 32, "ab" * 31, "ab" * 33, "../" * 22])
def test_what_is_no_sha256_is_refused(sha256: str) -> None:
    with pytest.raises(KeyInvalidError):
        file_key(sha256)
