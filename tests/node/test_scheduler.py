"""Which device starts next."""

from collections import Counter, defaultdict

from hypothesis import given
from hypothesis import strategies as st

from corral.node.scheduler import Scheduler


def test_free_slots_are_filled_at_once_and_no_further() -> None:
    scheduler: Scheduler[int] = Scheduler(2)
    for number, device in enumerate("abc"):
        scheduler.add(device, number)

    assert scheduler.start() == [("a", 0), ("b", 1)]
    assert scheduler.start() == []

    scheduler.finish("a")
    assert scheduler.start() == [("c", 2)]


def test_a_device_that_had_its_turn_goes_to_the_tail() -> None:
    scheduler: Scheduler[int] = Scheduler(1)
    for number, device in enumerate(["a", "a", "b", "c"]):
        scheduler.add(device, number)
    order = []
    while started := scheduler.start():
        order += started
        scheduler.finish(started[0][0])

    assert order == [("a", 0), ("b", 2), ("c", 3), ("a", 1)]


def test_a_device_that_is_not_ready_blocks_nobody() -> None:
    scheduler: Scheduler[int] = Scheduler(1)
    scheduler.add("broken", 1)
    scheduler.add("sound", 2)

    assert scheduler.start(lambda device, _job: device == "sound") == [("sound", 2)]
    scheduler.finish("sound")
    assert scheduler.start() == [("broken", 1)]


def test_a_job_is_taken_back_only_before_it_starts() -> None:
    scheduler: Scheduler[int] = Scheduler(1)
    scheduler.add("a", 1)
    scheduler.add("a", 2)
    scheduler.start()

    assert scheduler.withdraw("a", 1) is False
    assert scheduler.withdraw("a", 2) is True
    assert scheduler.waiting == 0


OPERATIONS = st.lists(st.tuples(st.sampled_from(["add", "start", "finish", "withdraw"]), st.sampled_from("abcdef")))


@given(slots=st.integers(1, 4), operations=OPERATIONS)
def test_whatever_happens_devices_are_used_once_at_a_time_in_order_and_slots_are_never_exceeded(
    slots: int, operations: list[tuple[str, str]]
) -> None:
    scheduler: Scheduler[int] = Scheduler(slots)
    queues: defaultdict[str, list[int]] = defaultdict(list)
    busy: set[str] = set()
    for number, (operation, device) in enumerate(operations):
        if operation == "add":
            scheduler.add(device, number)
            queues[device].append(number)
        elif operation == "finish" and device in busy:
            scheduler.finish(device)
            busy.remove(device)
        elif operation == "withdraw" and queues[device]:
            assert scheduler.withdraw(device, queues[device].pop())
        elif operation == "start":
            for started, job in scheduler.start():
                assert started not in busy
                assert job == queues[started].pop(0)
                busy.add(started)
            idle = [each for each, jobs in queues.items() if jobs and each not in busy]
            assert len(busy) == slots or not idle
        assert len(busy) == scheduler.running <= slots
        assert scheduler.waiting == sum(map(len, queues.values()))


@given(st.lists(st.sampled_from("abcd"), min_size=1, max_size=60))
def test_no_device_gets_a_second_turn_while_another_waits_for_its_first(devices: list[str]) -> None:
    scheduler: Scheduler[int] = Scheduler(1)
    for number, device in enumerate(devices):
        scheduler.add(device, number)
    turns: Counter[str] = Counter()
    left = Counter(devices)
    while started := scheduler.start():
        ((device, _),) = started
        waiting = [turns[each] for each in left if left[each]]
        assert turns[device] == min(waiting)
        turns[device] += 1
        left[device] -= 1
        scheduler.finish(device)
    assert turns == Counter(devices)
