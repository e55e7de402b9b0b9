"""The worker's end of a program's channel: what counts as the program's own time."""

import socket
import threading
import time
from collections.abc import Iterator

import pytest

from scorer_service.worker.channel import DONE, ProgramChannel, ProgramStopped

LIMIT_S = 0.2


@pytest.fixture
def pair() -> Iterator[tuple[ProgramChannel, socket.socket]]:
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    channel = ProgramChannel(ours.fileno())
    ours.close()
    yield channel, theirs
    channel.close()
    theirs.close()


def test_a_program_that_does_not_answer_has_its_time_and_no_more(
    pair: tuple[ProgramChannel, socket.socket],
) -> None:
    channel, _ = pair
    channel.allow(LIMIT_S)
    began = time.monotonic()
    with pytest.raises(ProgramStopped) as stopped:
        channel.ask(b"?")
    assert stopped.value.status == "time_limit"
    assert time.monotonic() - began >= LIMIT_S


def test_while_a_program_is_frozen_its_time_stands_still(pair: tuple[ProgramChannel, socket.socket]) -> None:
    channel, theirs = pair
    channel.allow(LIMIT_S)
    channel.hold()
    channel.hold()

    def go_on() -> None:
        channel.release()
        theirs.send(DONE)

    timer = threading.Timer(3 * LIMIT_S, go_on)
    timer.start()
    assert channel.ask(b"?") == DONE
    timer.join()
    # What is left is what was not frozen.
    with pytest.raises(ProgramStopped) as stopped:
        channel.ask(b"?")
    assert stopped.value.status == "time_limit"
