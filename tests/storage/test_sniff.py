"""Types come from bytes, and what could run in a browser is never shown in one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corral.storage import extension_of, serve_headers, sniff
from corral.storage.sniff import HEAD_BYTES

ZIP = b"PK\x03\x04\x14\x00\x00\x00\x08\x00"


@pytest.mark.parametrize(
    ("head", "content_type"),
    [
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "image/png"),
        (b"\xff\xd8\xff\xe0\0\x10JFIF", "image/jpeg"),
        (b"GIF89a\x01\0", "image/gif"),
        (b"RIFF\x24\0\0\0WEBPVP8 ", "image/webp"),
        (b"RIFF\x24\0\0\0WAVEfmt ", "application/octet-stream"),
        (b"\0\0\0\x18ftypmp42\0\0\0\0", "video/mp4"),
        (b"\0\0\0\x18ftypisom\0\0\0\0", "video/mp4"),
        (b"\0\0\0\x18ftypheic\0\0\0\0", "application/octet-stream"),
        (ZIP + b"\x0c\0\0\0notes.txt", "application/zip"),
        (ZIP + b"\x13\0\0\0AndroidManifest.xml", "application/vnd.android.package-archive"),
        (b"PK\x05\x06" + bytes(18), "application/zip"),
        (b"<?xml version='1.0'?><hierarchy/>", "application/xml"),
        (b'\xef\xbb\xbf<?xml version="1.0"?>', "application/xml"),
        (b'{"a": 1}', "application/json"),
        (b'  [{"a": 1}]\n', "application/json"),
        (b'[{"a": "' + b"x" * HEAD_BYTES, "application/json"),
        (b"{not json}", "text/plain"),
        (b"[12:00:01] a log line\n" * 500, "text/plain"),
        (b"01-02 03:04:05.678 I/Tag: caf\xc3\xa9\n", "text/plain"),
        (b"x" * (HEAD_BYTES - 1) + "é".encode(), "text/plain"),
        (b"\x1b[31mred\x1b[0m", "text/plain"),
        (b"<html><script>alert(1)</script>", "text/plain"),
        (b"<svg xmlns='http://www.w3.org/2000/svg' onload='x'/>", "text/plain"),
        (b"\x7fELF\x02\x01", "application/octet-stream"),
        (b"caf\xe9", "application/octet-stream"),
        (b"a\0b", "application/octet-stream"),
        (b"[" * 3000, "text/plain"),
        (b"", "application/octet-stream"),
    ],
)
def test_a_type_is_told_by_the_first_bytes(head: bytes, content_type: str) -> None:
    assert sniff(head) == content_type
    assert extension_of(content_type).isalnum()


def test_a_zip_called_apk_is_an_apk_and_nothing_else_is() -> None:
    assert sniff(ZIP, filename="App.APK") == "application/vnd.android.package-archive"
    assert sniff(b"hello", filename="app.apk") == "text/plain"


@given(st.binary(max_size=64))
def test_any_bytes_have_a_type_with_an_extension(head: bytes) -> None:
    assert extension_of(sniff(head))


@pytest.mark.parametrize("content_type", ["image/png", "image/jpeg", "image/webp", "image/gif"])
def test_raster_images_are_shown(content_type: str) -> None:
    headers = serve_headers(content_type, "shot.png")

    assert headers["Content-Type"] == content_type
    assert headers["Content-Disposition"].startswith("inline;")
    assert headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize(
    "claimed",
    [
        None,
        "",
        "text/html",
        "image/svg+xml",
        "application/xhtml+xml",
        "IMAGE/PNG",
        "image/png\r\nX-Evil: 1",
        "image/png;x",
    ],
)
def test_a_type_that_is_not_one_of_ours_is_a_download_of_bytes(claimed: str | None) -> None:
    headers = serve_headers(claimed, "x")

    assert headers["Content-Type"] == "application/octet-stream"
    assert headers["Content-Disposition"].startswith("attachment;")
    assert headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize("content_type", ["application/xml", "application/json", "text/plain", "video/mp4"])
def test_all_else_is_a_download(content_type: str) -> None:
    assert serve_headers(content_type, "x")["Content-Disposition"].startswith("attachment;")


@pytest.mark.parametrize(
    ("filename", "expected"),
    [
        ("shot.png", "filename=\"shot.png\"; filename*=UTF-8''shot.png"),
        ("스크린.png", "filename=\"___.png\"; filename*=UTF-8''%EC%8A%A4%ED%81%AC%EB%A6%B0.png"),
        ("../../etc/passwd", "filename=\"_.._etc_passwd\"; filename*=UTF-8''_.._etc_passwd"),
        ('a"; filename="b.exe', "filename=\"a__ filename__b.exe\"; filename*=UTF-8''a_%3B%20filename%3D_b.exe"),
        ("a\r\nSet-Cookie: x", "filename=\"a__Set-Cookie_ x\"; filename*=UTF-8''a__Set-Cookie%3A%20x"),
        ("photo\u202egnp.exe", "filename=\"photo_gnp.exe\"; filename*=UTF-8''photo_gnp.exe"),
        ("", "filename=\"download\"; filename*=UTF-8''download"),
        ("...", "filename=\"download\"; filename*=UTF-8''download"),
    ],
)
def test_a_filename_is_made_safe_and_kept_readable(filename: str, expected: str) -> None:
    disposition = serve_headers("image/png", filename)["Content-Disposition"]

    assert disposition == f"inline; {expected}"


@given(st.text(alphabet=st.characters()))
def test_any_filename_makes_one_header_of_ascii(filename: str) -> None:
    disposition = serve_headers("image/png", filename)["Content-Disposition"]

    assert disposition.isascii()
    assert disposition.isprintable()
    assert disposition.count('"') == 2
