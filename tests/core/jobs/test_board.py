from __future__ import annotations

import threading

import pytest

from core.jobs import board as module
from core.jobs.board import MAX_LOG, Board, Closed
from core.types import JobSnapshot


@pytest.fixture
def clock(monkeypatch):
    """A clock that the test moves: clock[0] += 5."""
    now = [100.0]
    monkeypatch.setattr(module.time, "monotonic", lambda: now[0])
    return now


@pytest.fixture
def saved():
    return []


@pytest.fixture
def board(saved, clock):
    return Board(JobSnapshot("j", "s", "queued", total=1000.0), saved.append)


def test_every_change_is_a_new_snapshot_with_a_higher_version(board):
    before = board.read()
    after = board.update(done=3.0)
    assert before.done == 0.0 and after.done == 3.0 and after.version == before.version + 1 and board.read() is after


def test_the_store_is_written_when_the_state_changes_else_every_two_seconds(board, saved, clock):
    board.update(state="running")
    board.update(done=1.0)
    clock[0] += 1.9
    board.update(done=2.0)
    assert [s.done for s in saved] == [0.0]
    clock[0] += 0.2
    board.update(done=3.0)
    board.close("finished", "Done.")
    assert [(s.state, s.done) for s in saved] == [("running", 0.0), ("running", 3.0), ("finished", 3.0)]


def test_log_lines_carry_the_time_and_old_ones_go(board):
    for k in range(MAX_LOG + 5):
        board.update(log=f"line {k}")
    log = board.read().log
    assert len(log) == MAX_LOG and log[-1].endswith(f"  line {MAX_LOG + 4}") and log[0].endswith("line 5")
    assert log[0][2] == log[0][5] == ":"


def test_nothing_is_written_once_a_job_is_closed(board, saved):
    assert board.close("cancelled", "Enough.") and not board.close("failed", "Late.")
    for late in (lambda: board.update(done=1.0), lambda: board.advance(5.0), lambda: board.writing().__enter__()):
        with pytest.raises(Closed):
            late()
    assert board.closed and [s.state for s in saved] == ["cancelled"] and board.read().message == "Enough."
    assert board.read().ended > 0


def test_closing_waits_for_the_write_that_is_under_way(board):
    closed = threading.Event()
    with board.writing():
        thread = threading.Thread(target=lambda: (board.close("cancelled", "x"), closed.set()))
        thread.start()
        assert not closed.wait(0.05)
    thread.join(5)
    assert closed.is_set()


def test_time_left_follows_the_pace(board, clock):
    board.update(state="running")
    board.advance(0.0)
    assert board.read().seconds_left is None
    for second in range(1, 41):
        clock[0] += 1.0
        board.advance(10.0 * second)
    assert board.read().seconds_left == pytest.approx(60.0, rel=0.01)
    board.new_pace()
    for second in range(1, 31):
        clock[0] += 1.0
        board.advance(400.0 + 5.0 * second)
    assert board.read().seconds_left == pytest.approx(90.0, rel=0.1)


def test_time_left_moves_smoothly_when_the_pace_jumps(board, clock):
    board.update(state="running")
    for second in range(10):
        clock[0] += 1.0
        board.advance(10.0 * second)
    steady = board.read().seconds_left
    clock[0] += 1.0
    board.advance(95.0 + 300.0)
    assert board.read().seconds_left > 0.7 * steady
