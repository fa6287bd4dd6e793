"""Work is done in one thread, handed over in order, and dropped when nobody waits for it."""

import sys
import threading
from collections.abc import Iterator

import pytest
from pytestqt.qtbot import QtBot

from reviewer.window.tasks import CancelledError, CancelToken, Operation
from reviewer.window.tasks.worker import Worker


@pytest.fixture
def worker() -> Iterator[Worker]:
    made = Worker()
    yield made
    made.close()


def test_values_come_in_order_on_the_thread_of_the_interface(worker: Worker, qtbot: QtBot) -> None:
    seen: list[object] = []
    threads: list[threading.Thread] = []

    def work(_token: CancelToken, hand_over: object) -> str:
        threads.append(threading.current_thread())
        for value in range(3):
            hand_over(value)  # type: ignore[operator]
        return "result"

    def take(value: object) -> None:
        threads.append(threading.current_thread())
        seen.append(value)

    worker.run(Operation("a", work, done=take, progress=take))
    qtbot.waitUntil(lambda: len(seen) == 4)
    assert seen == [0, 1, 2, "result"]
    assert threads[0] is not threading.main_thread()
    assert set(threads[1:]) == {threading.main_thread()}
    assert not worker.busy


def test_an_error_is_handed_over_and_the_next_work_is_done(worker: Worker, qtbot: QtBot) -> None:
    seen: list[object] = []

    def fails(_token: CancelToken, _hand_over: object) -> None:
        raise ValueError("no way")

    worker.run(
        Operation("a", fails, done=seen.append, failed=lambda error: seen.append(str(error)))
    )
    worker.run(Operation("b", lambda _token, _over: "next", done=seen.append))
    qtbot.waitUntil(lambda: len(seen) == 2)
    assert seen == ["no way", "next"]


def test_nothing_of_cancelled_work_is_handed_over(worker: Worker, qtbot: QtBot) -> None:
    seen: list[object] = []
    begun, go_on = threading.Event(), threading.Event()
    stopped: list[bool] = []

    def work(token: CancelToken, hand_over: object) -> str:
        hand_over("before")  # type: ignore[operator]
        begun.set()
        go_on.wait(10)
        try:
            hand_over("after")  # type: ignore[operator]
        except CancelledError:
            stopped.append(token.cancelled)
            raise
        return "result"

    worker.run(Operation("a", work, seen.append, seen.append, seen.append))
    assert begun.wait(10)
    worker.cancel("a")
    assert not worker.busy
    go_on.set()
    worker.run(Operation("b", lambda _token, _over: "other", done=seen.append))
    qtbot.waitUntil(lambda: seen == ["other"])
    qtbot.waitUntil(lambda: stopped == [True])


def test_work_that_does_not_stop_does_not_hold_up_the_next(worker: Worker, qtbot: QtBot) -> None:
    seen: list[object] = []
    go_on = threading.Event()
    worker.run(Operation("a", lambda _token, _over: go_on.wait(10), done=seen.append))
    worker.cancel("a")
    worker.run(Operation("a", lambda _token, _over: "new", done=seen.append))
    qtbot.waitUntil(lambda: seen == ["new"])
    go_on.set()


def test_a_newer_operation_of_the_same_kind_replaces_the_older(
    worker: Worker, qtbot: QtBot
) -> None:
    seen: list[object] = []
    go_on = threading.Event()
    worker.run(Operation("a", lambda _token, _over: (go_on.wait(10), "old"), done=seen.append))
    worker.run(Operation("a", lambda _token, _over: "new", done=seen.append))
    go_on.set()
    qtbot.waitUntil(lambda: seen == ["new"])


def test_the_interpreter_changes_threads_faster_only_while_there_is_a_worker() -> None:
    before = sys.getswitchinterval()
    worker = Worker()
    worker.run(Operation("a", lambda _token, _over: None))
    assert sys.getswitchinterval() == pytest.approx(0.001)
    worker.close()
    assert sys.getswitchinterval() == pytest.approx(before)


def test_a_worker_that_was_closed_begins_nothing_more(qtbot: QtBot) -> None:
    worker = Worker()
    done: list[object] = []
    worker.close()
    worker.run(Operation("late", lambda _token, _tell: 1, done.append))
    assert worker.working is None
    assert not worker.busy
    qtbot.wait(1)
    assert done == []
