import os
import signal
import threading

import pytest

from glam.core.errors import InterruptedRun
from glam.training.fit import watching_for_signals


@pytest.fixture(autouse=True)
def _ctrl_c_interrupts():
    """A shell that starts the tests in the background has them ignore Ctrl-C."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_first_signal_is_noted_and_ends_the_run_when_it_has_saved(number: int) -> None:
    before = signal.getsignal(number)
    with watching_for_signals(is_alone=True) as seen:
        assert not seen
        os.kill(os.getpid(), number)
        assert seen
        with pytest.raises(InterruptedRun, match="saved at step 7") as ended:
            seen.end(7)
    assert ended.value.code == 128 + number
    assert signal.getsignal(number) == before


def test_a_second_signal_acts_at_once() -> None:
    with watching_for_signals(is_alone=True):
        os.kill(os.getpid(), signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)


def test_further_sigterms_change_nothing_while_a_run_is_saved() -> None:
    with watching_for_signals(is_alone=True) as seen:
        os.kill(os.getpid(), signal.SIGINT)
        os.kill(os.getpid(), signal.SIGTERM)
        assert seen.signal == signal.SIGINT


def test_signals_act_as_usual_where_several_processes_train_together() -> None:
    with pytest.raises(KeyboardInterrupt), watching_for_signals(is_alone=False):
        os.kill(os.getpid(), signal.SIGINT)


def test_other_threads_leave_the_handlers_alone() -> None:
    before, seen = signal.getsignal(signal.SIGTERM), []

    def work() -> None:
        with watching_for_signals(is_alone=True):
            seen.append(signal.getsignal(signal.SIGTERM))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [before]
