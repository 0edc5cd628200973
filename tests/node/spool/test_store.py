"""What the spool keeps, and what it gives up when there is no room."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from corral.model.errors import SpoolFullError
from corral.node.spool.records import EventKind, SpooledEvent, SpooledFile
from corral.node.spool.store import Store

LIMIT = 20_000


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    made = Store(tmp_path, limit_bytes=LIMIT)
    yield made
    made.close()


def event(name: str, kind: EventKind = "state", size: int = 10) -> SpooledEvent:
    return SpooledEvent(event_id=name, kind=kind, body=b"x" * size, job_id="j", lease_token="t")


def given_file(store: Store, name: str, size: int = 1000) -> SpooledFile:
    file = SpooledFile(
        key=name, name=name, job_id="j", lease_token="t", sha256="0" * 64, size_bytes=size, content_type="image/png"
    )
    store.path_of(file).write_bytes(b"p" * size)
    store.add_file(file, event(f"of {name}", "artifact"))
    return file


def ids(store: Store) -> list[str]:
    return [each.event.event_id for each in store.read_batch(most=100, most_bytes=1 << 20)]


def test_events_leave_in_the_order_in_which_they_came(store: Store) -> None:
    store.add([event("1"), event("2")])
    store.add([event("3")])

    assert ids(store) == ["1", "2", "3"]


def test_an_event_that_is_known_is_not_queued_again(store: Store) -> None:
    store.add([event("1"), event("1")])
    store.add([event("1"), event("2")])

    assert ids(store) == ["1", "2"]


def test_a_batch_is_bounded_but_never_empty(store: Store) -> None:
    store.add([event(str(number), size=100) for number in range(5)])

    assert len(store.read_batch(most=3, most_bytes=1000)) == 3
    assert len(store.read_batch(most=5, most_bytes=250)) == 2
    assert len(store.read_batch(most=5, most_bytes=1)) == 1


def test_what_was_answered_is_gone(store: Store) -> None:
    store.add([event("1"), event("2")])

    store.remove(store.read_batch(most=1, most_bytes=1000))

    assert ids(store) == ["2"]


def test_an_event_that_is_not_understood_is_put_aside_with_what_was_said(store: Store) -> None:
    store.add([event("1")])

    store.refuse(*store.read_batch(most=1, most_bytes=1000), "no such type")

    assert (ids(store), store.list_refused()) == ([], [("no such type", b"x" * 10)])


def test_nobody_hears_of_a_file_before_it_has_arrived(store: Store) -> None:
    file = given_file(store, "a.png")
    store.add([event("end")])
    assert ids(store) == ["end"]

    store.release(file)

    assert ids(store) == ["of a.png", "end"]
    assert not store.path_of(file).exists()


def test_nobody_hears_of_a_file_that_never_arrives(store: Store) -> None:
    file = given_file(store, "a.png")

    store.give_up(file)

    assert (store.count(), store.next_files(most=9), store.path_of(file).exists()) == (0, [], False)


def test_when_it_is_full_the_oldest_logs_go_first(store: Store) -> None:
    given_file(store, "a.png")
    store.add([event(f"log {number}", "log", size=1000) for number in range(10)])
    store.add([event("start")])

    dropped = store.add([event("end", size=10_000)])

    assert dropped.log_events > 0
    assert dropped.files == ()
    assert [name for name in ids(store) if not name.startswith("log")] == ["start", "end"]


def test_then_the_oldest_files_go(store: Store) -> None:
    files = [given_file(store, f"{number}.png", size=6000) for number in range(3)]
    store.add([event("log", "log")])

    dropped = store.add([event("end", size=5000)])

    assert (dropped.log_events, dropped.files) == (1, (files[0],))
    assert not store.path_of(files[0]).exists()
    assert store.next_files(most=9) == files[1:]


def test_changes_of_state_are_never_dropped_even_beyond_the_limit(store: Store) -> None:
    store.add([event(str(number), size=1000) for number in range(100)])

    assert len(ids(store)) == 100
    assert store.used_bytes > LIMIT


def test_a_file_that_cannot_fit_is_refused(store: Store) -> None:
    with pytest.raises(SpoolFullError):
        given_file(store, "huge.png", size=LIMIT)


def test_what_was_committed_is_there_after_the_process_died(tmp_path: Path) -> None:
    program = f"""
import os
from pathlib import Path
from tests.node.spool.test_store import event
from corral.node.spool.store import Store
store = Store(Path({str(tmp_path)!r}), limit_bytes=10**6)
store.add([event("1"), event("2")])
os.kill(os.getpid(), 9)
"""
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == -9

    store = Store(tmp_path, limit_bytes=LIMIT)
    try:
        assert ids(store) == ["1", "2"]
        assert store.used_bytes > 0
    finally:
        store.close()


def test_a_copy_that_no_row_speaks_of_is_swept_away_at_the_start(tmp_path: Path) -> None:
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "orphan").write_bytes(b"x")

    Store(tmp_path, limit_bytes=LIMIT).close()

    assert list((tmp_path / "files").iterdir()) == []
