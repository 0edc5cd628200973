"""Draws are pinned for ever: a replayed run must decide as it did the first time."""

from __future__ import annotations

import hashlib
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corral.workflow import draw, executes
from tests.unit.workflow.recipes import FUZZ


@pytest.mark.parametrize(
    ("seed", "serial", "step", "expected"),
    [
        ("1", "ABC123", "look", 0.3407262815235368),
        ("42", "emulator-5554", "rotate", 0.6452921524864963),
        ("", "", "", 0.33735871671821327),
        ("씨앗", "기기", "단계", 0.5537943222853277),
    ],
)
def test_known_draws(seed: str, serial: str, step: str, expected: float) -> None:
    assert draw(seed, serial, step) == expected


@FUZZ
@given(st.text(st.characters(exclude_categories=["Cs"])), st.text(st.characters(exclude_categories=["Cs"])))
def test_a_draw_is_the_first_53_bits_of_the_hash_and_lies_below_one(seed: str, serial: str) -> None:
    digest = hashlib.sha256(f"{seed}|{serial}|step".encode()).hexdigest()

    drawn = draw(seed, serial, "step")

    assert Fraction(drawn) == Fraction(int(digest[:16], 16) // 2**11, 2**53)
    assert 0 <= drawn < 1
    assert executes(1.0, drawn)
    assert not executes(0.0, drawn)


@pytest.mark.parametrize("probability", [0.1, 0.25, 0.5, 0.8, 0.99])
def test_shares_over_many_devices_come_close_to_the_probability(probability: float) -> None:
    devices = 20_000
    executed = sum(executes(probability, draw("seed", f"device-{n}", "look")) for n in range(devices))

    spread = (devices * probability * (1 - probability)) ** 0.5
    assert abs(executed - devices * probability) < 4 * spread


def test_draws_are_spread_evenly() -> None:
    cells = [0] * 100
    for n in range(50_000):
        cells[int(draw(f"run-{n % 50}", f"device-{n // 50}", "look") * 100)] += 1

    chi_square = sum((count - 500) ** 2 / 500 for count in cells)
    assert chi_square < 148.2  # 99 degrees of freedom, p = 0.001


def test_steps_are_drawn_independently() -> None:
    pairs = [(draw("s", f"d{n}", "a") < 0.5, draw("s", f"d{n}", "b") < 0.5) for n in range(20_000)]

    assert abs(sum(a and b for a, b in pairs) - 5_000) < 4 * 61.3
