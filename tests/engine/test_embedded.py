"""The embedded PostgreSQL, on real servers: the wheel's and, where installed, the oldest supported one."""

# ruff: noqa: ANN401, ASYNC220, ASYNC240  rows and orders are of any type; files are looked at between steps

import asyncio
import json
import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from corral.engine.embedded import EmbeddedPostgres, binaries, cluster, find_binaries
from corral.engine.embedded.account import Account
from corral.engine.embedded.endpoint import Loopback
from corral.engine.embedded.ephemeral import remove_abandoned
from corral.engine.embedded.lock import FileLock
from corral.engine.embedded.postmaster import processes_in
from corral.model.errors import EmbeddedPostgresError

pytestmark = [
    pytest.mark.asyncio,
    pytest.mark.skipif(sys.platform == "win32", reason="signals and accounts are POSIX"),
]
as_root = pytest.mark.skipif(sys.platform == "win32" or os.geteuid() != 0, reason="needs root, to act as somebody else")
on_linux = pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")

PROCESS = Path(__file__).with_name("embedded_process.py")
STRANGER = "nobody"


@pytest.fixture
def place() -> Iterator[Path]:
    """A short directory that every account may enter, which pytest's own is not."""
    directory = Path(tempfile.mkdtemp(prefix="corral-test-"))
    directory.chmod(0o755)
    yield directory
    shutil.rmtree(directory)


@pytest.fixture
def data_dir(place: Path) -> Path:
    return place / "data"


@pytest.fixture(scope="session")
def newest() -> Path:
    return find_binaries()


@pytest.fixture(params=[None, 15], ids=["wheel", "15"])
def bin_dir(request: pytest.FixtureRequest) -> Path:
    try:
        return find_binaries(request.param)
    except EmbeddedPostgresError as error:
        pytest.skip(error.message)


Seed = Callable[[Path, Path], None]


@pytest.fixture(scope="session")
def seed(tmp_path_factory: pytest.TempPathFactory) -> Seed:
    """Put a stopped cluster into a directory: a copy, as initdb takes most of a test's time."""
    templates: dict[Path, Path] = {}

    async def make(template: Path, bin_dir: Path) -> None:
        async with opened(template, bin_dir):
            pass

    def copy(data_dir: Path, bin_dir: Path) -> None:
        if bin_dir not in templates:
            templates[bin_dir] = tmp_path_factory.mktemp("template") / "data"
            # In a thread of its own, which may run a loop of its own.
            with ThreadPoolExecutor(1) as thread:
                thread.submit(asyncio.run, make(templates[bin_dir], bin_dir)).result()
        subprocess.run(["cp", "-a", templates[bin_dir], data_dir], check=True)

    return copy


def opened(data_dir: Path, bin_dir: Path, **options: Any) -> AbstractAsyncContextManager[EmbeddedPostgres]:
    return EmbeddedPostgres.open(data_dir, bin_dir=bin_dir, **{"durable": False, **options})


async def execute(server: EmbeddedPostgres, *statements: str) -> None:
    connection = await asyncpg.connect(server.dsn)
    try:
        for statement in statements:
            await connection.execute(statement)
    finally:
        await connection.close()


async def fetch(server: EmbeddedPostgres, query: str) -> Any:
    connection = await asyncpg.connect(server.dsn)
    try:
        return await connection.fetchval(query)
    finally:
        await connection.close()


def postmaster_pid(data_dir: Path) -> int:
    return int((data_dir / "pgdata" / "postmaster.pid").read_text().split()[0])


def is_alive(pid: int) -> bool:
    with suppress(FileNotFoundError, ProcessLookupError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


async def until_launched(data_dir: Path) -> int:
    """The process of a server that is being started; on a busy machine its cluster takes long to make."""
    launched: list[int] = []

    def is_launched() -> bool:
        with suppress(FileNotFoundError, IndexError):  # not there, or not written yet
            launched.append(postmaster_pid(data_dir))
        return bool(launched)

    await until(is_launched)
    return launched[0]


async def kill_server(data_dir: Path) -> None:
    pid = postmaster_pid(data_dir)
    os.kill(pid, signal.SIGKILL)
    await until(lambda: not is_alive(pid))


async def until(condition: Callable[[], bool], *, within: float = 60) -> None:
    deadline = time.monotonic() + within
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        await asyncio.sleep(0.01)


class Other:
    """Another process that was told to use a cluster."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process

    async def answer(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        answer: dict[str, Any] = json.loads(await self.process.stdout.readline())
        return answer

    async def leave(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        await self.process.wait()

    async def kill(self) -> None:
        os.killpg(self.process.pid, signal.SIGKILL)
        await self.process.wait()


@asynccontextmanager
async def other_process(**order: Any) -> AsyncIterator[Other]:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        str(PROCESS),
        json.dumps(order, default=str),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    other = Other(process)
    try:
        yield other
    finally:
        if process.returncode is None:
            await other.leave()


async def test_data_is_kept_from_one_start_to_the_next(data_dir: Path, bin_dir: Path) -> None:
    async with opened(data_dir, bin_dir, durable=True) as server:
        assert server.owns
        await execute(server, "create table kept as select 42 as answer")
        pid = postmaster_pid(data_dir)
    assert not is_alive(pid)

    async with opened(data_dir, bin_dir, durable=True) as server:
        assert await fetch(server, "select answer from kept") == 42


async def test_the_settings_suit_a_queue_and_the_server_accepts_all_of_them(
    seed: Seed, data_dir: Path, bin_dir: Path
) -> None:
    seed(data_dir, bin_dir)
    async with opened(data_dir, bin_dir, durable=True) as server:
        assert await fetch(server, "select count(*) from pg_file_settings where error is not null") == 0
        for name, value in {
            "fsync": "on",
            "synchronous_commit": "on",
            "checkpoint_timeout": "15min",
            "log_statement": "none",
            "listen_addresses": "",
            "server_encoding": "UTF8",
            "data_checksums": "on",
        }.items():
            assert await fetch(server, f"select current_setting('{name}')") == value, name


async def test_an_error_is_logged_without_the_values_that_it_quotes(seed: Seed, data_dir: Path, newest: Path) -> None:
    seed(data_dir, newest)
    async with opened(data_dir, newest) as server:
        await execute(server, "create table tokens (token text primary key)", "insert into tokens values ('s3cret')")
        with pytest.raises(asyncpg.UniqueViolationError):
            await execute(server, "insert into tokens values ('s3cret')")

    log = "".join(path.read_text() for path in (data_dir / "pgdata" / "log").iterdir())
    assert "duplicate key" in log
    assert "s3cret" not in log


async def test_an_ephemeral_cluster_leaves_nothing_behind(bin_dir: Path) -> None:
    async with EmbeddedPostgres.ephemeral(bin_dir=bin_dir) as server:
        assert await fetch(server, "select 1") == 1
        pid = postmaster_pid(server.data_dir)

    assert not server.data_dir.exists()
    assert not is_alive(pid)


async def test_an_ephemeral_cluster_whose_process_was_killed_is_removed_later(
    place: Path, newest: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(place))
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    async with other_process(data_dir=None, bin_dir=newest) as other:
        abandoned = Path((await other.answer())["data_dir"])
        pid = postmaster_pid(abandoned)
        await asyncio.to_thread(remove_abandoned, newest, settled=timedelta())
        assert abandoned.exists(), "its process is alive"
        await other.kill()

    await asyncio.to_thread(remove_abandoned, newest)
    assert abandoned.exists(), "too young to tell"
    await asyncio.to_thread(remove_abandoned, newest, settled=timedelta())

    assert not abandoned.exists()
    assert not is_alive(pid)


async def test_a_second_process_joins_and_leaves_the_server_running(seed: Seed, data_dir: Path, bin_dir: Path) -> None:
    seed(data_dir, bin_dir)
    async with opened(data_dir, bin_dir) as server:
        async with other_process(data_dir=data_dir, bin_dir=bin_dir) as other:
            assert await other.answer() == {"dsn": server.dsn, "owns": False, "data_dir": str(data_dir)}
        assert await fetch(server, "select 1") == 1


async def test_a_second_start_in_the_same_process_joins_too(seed: Seed, data_dir: Path, newest: Path) -> None:
    seed(data_dir, newest)
    async with opened(data_dir, newest) as server:
        async with opened(data_dir, newest) as second:
            assert not second.owns
        assert await fetch(server, "select 1") == 1


async def test_of_simultaneous_first_starts_one_owns_and_the_others_join(data_dir: Path, newest: Path) -> None:
    order = {"data_dir": data_dir, "bin_dir": newest}
    async with other_process(**order) as one, other_process(**order) as two, other_process(**order) as three:
        answers = await asyncio.gather(one.answer(), two.answer(), three.answer())

        assert sorted(answer["owns"] for answer in answers) == [False, False, True]
        assert len({answer["dsn"] for answer in answers}) == 1
        for other, answer in zip((one, two, three), answers, strict=True):
            if not answer["owns"]:
                await other.leave()


async def test_starts_and_stops_in_quick_succession_never_fail(seed: Seed, data_dir: Path, newest: Path) -> None:
    """A start may meet the server of another in any state, such as just stopping."""
    seed(data_dir, newest)

    async def use(times: int) -> None:
        for _ in range(times):
            async with opened(data_dir, newest):
                pass

    await asyncio.gather(use(4), use(4), use(4))


async def test_a_killed_server_recovers_at_the_next_start(seed: Seed, data_dir: Path, bin_dir: Path) -> None:
    seed(data_dir, bin_dir)
    async with opened(data_dir, bin_dir) as server:
        await execute(server, "create table kept as select 42 as answer")
        await kill_server(data_dir)

    async with opened(data_dir, bin_dir) as server:
        assert await fetch(server, "select answer from kept") == 42


@as_root
@on_linux
async def test_a_killed_server_recovers_although_its_pid_is_somebody_elses_by_now(
    seed: Seed, data_dir: Path, bin_dir: Path
) -> None:
    """As in a restarted container, whose few processes get the same numbers again."""
    seed(data_dir, bin_dir)
    async with opened(data_dir, bin_dir):
        socket_lock = data_dir / "run" / ".s.PGSQL.5432.lock"
        files = {path: path.read_text() for path in (data_dir / "pgdata" / "postmaster.pid", socket_lock)}
        old_pid = postmaster_pid(data_dir)
        await kill_server(data_dir)
    owner = (data_dir / "pgdata").stat()
    with subprocess.Popen(["sleep", "60"], user=owner.st_uid, group=owner.st_gid) as bystander:
        for path, text in files.items():
            path.write_text(text.replace(f"{old_pid}\n", f"{bystander.pid}\n", 1))

        async with opened(data_dir, bin_dir) as server:
            assert server.owns
        assert bystander.poll() is None
        bystander.kill()


@on_linux
async def test_backends_that_outlive_a_killed_server_are_waited_for_and_named(
    seed: Seed, data_dir: Path, bin_dir: Path
) -> None:
    seed(data_dir, bin_dir)
    async with opened(data_dir, bin_dir) as server:
        connection = await asyncpg.connect(server.dsn)
        backend = connection.get_server_pid()
        os.kill(backend, signal.SIGSTOP)
        await kill_server(data_dir)
    try:
        with pytest.raises(EmbeddedPostgresError, match=rf"killed PostgreSQL still use .*{backend}") as caught:
            await EmbeddedPostgres(data_dir, bin_dir=bin_dir, startup_timeout=timedelta(seconds=1)).start()
        assert caught.value.code == "embedded_postgres_in_use"
    finally:
        os.kill(backend, signal.SIGCONT)
        connection.terminate()

    async with opened(data_dir, bin_dir) as server:
        assert server.owns


async def test_a_server_whose_owner_was_killed_is_taken_over(seed: Seed, data_dir: Path, newest: Path) -> None:
    seed(data_dir, newest)
    async with other_process(data_dir=data_dir, bin_dir=newest) as owner:
        assert (await owner.answer())["owns"]
        pid = postmaster_pid(data_dir)
        await owner.kill()
    assert is_alive(pid)

    async with opened(data_dir, newest) as server:
        assert server.owns
        assert postmaster_pid(data_dir) == pid

    assert not is_alive(pid)


async def test_an_initdb_that_was_killed_in_the_middle_is_done_again(data_dir: Path, newest: Path) -> None:
    async with other_process(data_dir=data_dir, bin_dir=newest) as killed:
        await until(lambda: any(data_dir.glob(".corral-initdb-*/base/1/*")))
        await killed.kill()
    assert not (data_dir / "pgdata").exists()

    async with opened(data_dir, newest) as server:
        assert await fetch(server, "select 1") == 1
    assert not any(data_dir.glob(".corral-initdb-*"))


async def test_a_cancelled_start_leaves_nothing_running(data_dir: Path, newest: Path) -> None:
    start = asyncio.ensure_future(EmbeddedPostgres(data_dir, bin_dir=newest, durable=False).start())
    pid = await until_launched(data_dir)
    start.cancel()
    with pytest.raises(asyncio.CancelledError):
        await start

    assert not is_alive(pid)
    async with opened(data_dir, newest) as server:
        assert server.owns


async def test_a_server_that_is_slow_to_appear_is_waited_for(
    data_dir: Path, newest: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "_PG_CTL_WAIT_S", 0)
    monkeypatch.setattr(cluster, "_POLL_S", 0.001)

    async with opened(data_dir, newest) as server:
        assert server.owns


async def test_a_start_that_is_given_up_leaves_no_server_that_was_slow_to_appear(
    data_dir: Path, newest: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "_PG_CTL_WAIT_S", 0)
    given_up = cluster.Cluster(data_dir, bin_dir=newest, durable=False, startup_timeout=timedelta(seconds=60))
    given_up.abandoned.set()
    monkeypatch.setattr(given_up, "_find_ready", lambda: None)  # however fast it is

    try:
        with pytest.raises(EmbeddedPostgresError):
            await asyncio.to_thread(given_up.start)

        assert await asyncio.to_thread(processes_in, given_up.pgdata) == []
    finally:
        await asyncio.to_thread(given_up.stop)


async def test_a_failed_start_tells_the_servers_own_words_and_can_be_repaired(
    seed: Seed, data_dir: Path, bin_dir: Path
) -> None:
    seed(data_dir, bin_dir)
    async with opened(data_dir, bin_dir):
        pass
    settings = data_dir / "pgdata" / "postgresql.conf"
    good = settings.read_text()
    settings.write_text(f"{good}\nmax_connections = 'plenty'\n")

    with pytest.raises(EmbeddedPostgresError, match='invalid value for parameter "max_connections"') as caught:
        await EmbeddedPostgres(data_dir, bin_dir=bin_dir).start()
    assert caught.value.code == "embedded_postgres_start_failed"

    settings.write_text(good)
    async with opened(data_dir, bin_dir) as server:
        assert server.owns


async def test_a_directory_that_is_held_without_a_server_is_said_to_be_in_use(data_dir: Path, newest: Path) -> None:
    data_dir.mkdir()
    holder = FileLock(data_dir / "corral.lock")
    assert holder.acquire()
    told = (
        rf"in use by process {os.getpid()}, .*: stop process {os.getpid()}, or choose another directory with --data-dir"
    )
    try:
        with pytest.raises(EmbeddedPostgresError, match=told) as caught:
            await EmbeddedPostgres(data_dir, bin_dir=newest, startup_timeout=timedelta(seconds=0.1)).start()
    finally:
        holder.release()
    assert caught.value.code == "embedded_postgres_in_use"


async def test_a_directory_of_another_major_version_is_refused_by_both_names(data_dir: Path, newest: Path) -> None:
    async with opened(data_dir, find_binaries(16)) as server:
        await execute(server, "create table kept as select 42 as answer")

    with pytest.raises(EmbeddedPostgresError, match=r"made by PostgreSQL 16, and this is PostgreSQL 18") as caught:
        await EmbeddedPostgres(data_dir, bin_dir=newest).start()
    assert caught.value.code == "embedded_postgres_wrong_version"

    async with opened(data_dir, find_binaries(16)) as server:
        assert await fetch(server, "select answer from kept") == 42


@pytest.mark.parametrize(
    "files", [["thesis.txt"], ["PG_VERSION"], ["pgdata/thesis.txt"], ["pgdata/PG_VERSION"]], ids=str
)
async def test_a_directory_of_somebody_else_is_refused_and_left_alone(
    data_dir: Path, newest: Path, files: list[str]
) -> None:
    for name in files:
        (data_dir / name).parent.mkdir(parents=True, exist_ok=True)
        (data_dir / name).write_text("18")

    with pytest.raises(EmbeddedPostgresError, match="Nothing in it was changed") as caught:
        await EmbeddedPostgres(data_dir, bin_dir=newest).start()

    assert caught.value.code == "embedded_postgres_foreign_directory"
    found = {str(path.relative_to(data_dir)) for path in data_dir.rglob("*") if path.is_file()}
    assert found - {"corral.lock"} == set(files)


async def test_a_missing_version_is_said_to_be_missing() -> None:
    with pytest.raises(EmbeddedPostgresError, match="PostgreSQL 7 is not installed"):
        find_binaries(7)


@pytest.mark.parametrize("name", ["long-" * 30, "it's, well, ünusual"], ids=["long", "unusual"])
async def test_a_path_that_no_socket_can_have_works_and_can_be_joined(
    seed: Seed, place: Path, newest: Path, name: str
) -> None:
    data_dir = place / name
    seed(data_dir, newest)
    async with opened(data_dir, newest) as server:
        socket_dir = Path((data_dir / "pgdata" / "postmaster.pid").read_text().splitlines()[4])
        assert socket_dir.stat().st_mode & 0o777 == 0o700
        async with other_process(data_dir=data_dir, bin_dir=newest) as other:
            assert not (await other.answer())["owns"]
        await kill_server(data_dir)
    async with opened(data_dir, newest) as server:
        assert await fetch(server, "select 1") == 1
        second = Path((data_dir / "pgdata" / "postmaster.pid").read_text().splitlines()[4])
    assert not socket_dir.exists()
    assert not second.exists()


@as_root
async def test_another_user_can_neither_reach_the_socket_nor_log_in_through_it(
    seed: Seed, data_dir: Path, bin_dir: Path
) -> None:
    seed(data_dir, bin_dir)

    def try_as_stranger() -> subprocess.CompletedProcess[str]:
        stranger = pwd.getpwnam(STRANGER)
        return subprocess.run(
            [bin_dir / "psql", "-h", data_dir / "run", "-U", "corral", "-c", "select 1", "corral"],
            user=stranger.pw_uid,
            group=stranger.pw_gid,
            extra_groups=[],
            cwd="/",
            capture_output=True,
            text=True,
            check=False,
        )

    async with opened(data_dir, bin_dir):
        assert (data_dir / "run").stat().st_mode & 0o777 == 0o700
        assert "Permission denied" in (await asyncio.to_thread(try_as_stranger)).stderr

        (data_dir / "run").chmod(0o755)
        (data_dir / "run" / ".s.PGSQL.5432").chmod(0o777)
        assert "Peer authentication failed" in (await asyncio.to_thread(try_as_stranger)).stderr


@as_root
async def test_an_ordinary_user_runs_it_as_themselves(place: Path, bin_dir: Path) -> None:
    user = pwd.getpwnam(STRANGER)
    own = place / "own"
    own.mkdir()
    os.chown(own, user.pw_uid, user.pw_gid)

    async with other_process(data_dir=own / "data", bin_dir=bin_dir, user=STRANGER) as other:
        assert (await other.answer()).get("owns")
        assert (own / "data").stat().st_uid == user.pw_uid
        assert (own / "data").stat().st_mode & 0o777 == 0o700
        assert Path(f"/proc/{postmaster_pid(own / 'data')}").stat().st_uid == user.pw_uid
        async with opened(own / "data", bin_dir) as joined_by_root:
            assert not joined_by_root.owns

    async with opened(own / "data", bin_dir):
        pid = postmaster_pid(own / "data")
        assert Path(f"/proc/{pid}").stat().st_uid == user.pw_uid, "root keeps it with its owner"


@as_root
async def test_a_directory_that_is_closed_to_the_user_is_said_to_be_closed(
    seed: Seed, data_dir: Path, newest: Path
) -> None:
    seed(data_dir, newest)
    async with opened(data_dir, newest):
        pass
    async with other_process(data_dir=data_dir, bin_dir=newest, user=STRANGER) as other:
        answer = await other.answer()
    assert answer["code"] == "embedded_postgres_unreachable"
    assert str(data_dir) in answer["message"]


@as_root
@on_linux
async def test_root_may_keep_it_where_nobody_else_may_go(place: Path, bin_dir: Path) -> None:
    closed = place / "home-of-root"
    closed.mkdir(mode=0o700)

    async with opened(closed / "data", bin_dir) as server:
        await execute(server, "create table kept as select 42 as answer")
        await kill_server(closed / "data")
    async with opened(closed / "data", bin_dir) as server:
        assert await fetch(server, "select answer from kept") == 42

    assert closed.stat().st_mode & 0o777 == 0o700


@as_root
async def test_programs_that_its_account_cannot_reach_are_copied_once(
    seed: Seed, place: Path, newest: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed = place / "venv-of-root"
    closed.mkdir(mode=0o700)
    package = newest.parent.parent
    moved = closed / package.name / newest.parent.name
    shutil.copytree(newest.parent, moved)
    libraries = package.with_name(f"{package.name}.libs")
    if libraries.exists():
        shutil.copytree(libraries, closed / libraries.name)
    monkeypatch.setattr(binaries, "_COPIES", place / "copies")

    seed(place / "made before", newest)
    for name in ("new", "made before"):
        async with opened(place / name, moved / "bin") as server:
            assert await fetch(server, "select 1") == 1

    assert len(list((place / "copies").iterdir())) == 1
    assert closed.stat().st_mode & 0o777 == 0o700


@on_linux
async def test_the_server_does_not_inherit_secrets(
    seed: Seed, data_dir: Path, newest: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seed(data_dir, newest)
    monkeypatch.setenv("CORRAL_TOKEN", "s3cret")
    async with opened(data_dir, newest):
        environment = Path(f"/proc/{postmaster_pid(data_dir)}/environ").read_bytes()
    assert b"s3cret" not in environment


async def test_without_unix_sockets_a_password_guards_the_loopback_port(
    data_dir: Path, bin_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def loopback(home: Path, account: Account) -> Loopback:
        del home
        return Loopback(account)

    monkeypatch.setattr(cluster, "choose_endpoint", loopback)
    async with opened(data_dir, bin_dir) as server:
        assert await fetch(server, "select host(inet_server_addr())") == "127.0.0.1"
        password_file = data_dir / "pgdata" / "corral.pgpass"
        password = password_file.read_text().strip().rpartition(":")[2]
        assert password_file.stat().st_mode & 0o777 == 0o600
        assert password not in server.dsn
        with pytest.raises(asyncpg.InvalidPasswordError):
            await asyncpg.connect(server.dsn.partition("?")[0], password="guess")

    async with opened(data_dir, bin_dir) as server:
        assert await fetch(server, "select 1") == 1
