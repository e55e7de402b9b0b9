"""Stands in for the launcher inside a warm process, without a sandbox: forks a program for each order.

With it the runner, the channel and the trial protocol can be tested alone, and where no sandbox can be made.
"""

import array
import json
import os
import signal
import socket

CONTROL_DESCRIPTOR = 4


def serve_warm() -> list[str]:
    """Fork for every packet of the control socket; returns in the program, with its channel as descriptor
    3."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # programs are not waited for
    control = socket.socket(fileno=CONTROL_DESCRIPTOR)
    while True:
        size = array.array("i").itemsize
        packet, ancillary, _, _ = control.recvmsg(1 << 16, socket.CMSG_SPACE(size))
        if not packet:
            os._exit(0)
        order = json.loads(packet)
        (channel,) = array.array("i", ancillary[0][2])
        pid = os.fork()
        if pid == 0:
            control.close()
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            if channel != 3:
                os.dup2(channel, 3)
                os.close(channel)
            os.chdir(order["folder"])
            os.environ.update(order["environment"])
            if order["cores"]:
                os.sched_setaffinity(0, order["cores"])
            return list(order["argv"])
        os.close(channel)
        control.send(json.dumps(pid).encode())
