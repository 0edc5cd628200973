import contextlib
import io
import struct
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corral.simulator.apk import Apk, ApkError, make_apk, read_apk
from corral.simulator.manifest import ManifestError, read_manifest


def binary_manifest(*, is_utf8: bool, package: str = "com.example.real", code: int = 77, name: str = "7.7") -> bytes:
    """A manifest as Android's build tools write it, with the root element alone."""
    strings = ["versionCode", "versionName", "package", package, name, "manifest"]
    if is_utf8:
        texts = [bytes([len(text), len(text)]) + text.encode() + b"\0" for text in strings]
    else:
        texts = [struct.pack("<H", len(text)) + text.encode("utf-16-le") + b"\0\0" for text in strings]
    offsets = [sum(map(len, texts[:at])) for at in range(len(texts))]
    body = struct.pack(f"<{len(offsets)}I", *offsets) + b"".join(texts)
    body += b"\0" * (-len(body) % 4)
    flags = 1 << 8 if is_utf8 else 0
    pool = struct.pack("<HHI5I", 1, 28, 28 + len(body), len(strings), 0, flags, 28 + 4 * len(strings), 0) + body
    attributes = (
        struct.pack("<IIIHBBI", 0xFFFFFFFF, 0, 0xFFFFFFFF, 8, 0, 0x10, code)
        + struct.pack("<IIIHBBI", 0xFFFFFFFF, 1, 4, 8, 0, 3, 4)
        + struct.pack("<IIIHBBI", 0xFFFFFFFF, 2, 3, 8, 0, 3, 3)
    )
    element = struct.pack("<IIII6H", 1, 0xFFFFFFFF, 0xFFFFFFFF, 5, 20, 20, 3, 0, 0, 0) + attributes
    start = struct.pack("<HHI", 0x0102, 16, 8 + len(element)) + element
    return struct.pack("<HHI", 3, 8, 8 + len(pool) + len(start)) + pool + start


def zipped(name: str, data: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(name, data)
    return buffer.getvalue()


def test_a_made_package_is_read_back_and_always_the_same() -> None:
    made = make_apk("a.b", 3, "1.2", label="App")

    assert read_apk(made) == Apk(package="a.b", version_code=3, version_name="1.2", label="App")
    assert made == make_apk("a.b", 3, "1.2", label="App")


@pytest.mark.parametrize("is_utf8", [True, False])
def test_a_real_packages_manifest_is_understood(*, is_utf8: bool) -> None:
    apk = zipped("AndroidManifest.xml", binary_manifest(is_utf8=is_utf8))

    assert read_apk(apk) == Apk(package="com.example.real", version_code=77, version_name="7.7")


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "INSTALL_PARSE_FAILED_NOT_APK"),
        (b"PK\x03\x04 not really", "INSTALL_PARSE_FAILED_NOT_APK"),
        (zipped("other.txt", b""), "INSTALL_PARSE_FAILED_BAD_MANIFEST"),
        (zipped("corral-package.json", b"{"), "INSTALL_PARSE_FAILED_MANIFEST_MALFORMED"),
        (zipped("AndroidManifest.xml", b"<manifest/>"), "INSTALL_PARSE_FAILED_MANIFEST_MALFORMED"),
    ],
)
def test_what_is_no_package_is_refused_in_androids_words(data: bytes, reason: str) -> None:
    with pytest.raises(ApkError) as refused:
        read_apk(data)

    assert refused.value.reason == reason


@given(cut=st.integers(0, 400), flipped=st.integers(0, 400), value=st.integers(0, 255))
def test_a_damaged_manifest_is_refused_or_read_but_never_worse(cut: int, flipped: int, value: int) -> None:
    data = bytearray(binary_manifest(is_utf8=True))
    data[flipped % len(data)] = value

    for damaged in (bytes(data), bytes(data[: cut % len(data)])):
        with contextlib.suppress(ManifestError):
            read_manifest(damaged)
