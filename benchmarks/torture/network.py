"""Commands in a closed network: none may look for a host or connect to one, and all work as ever."""

import ctypes
import os
import sys
from collections.abc import Iterator

from benchmarks.torture.interruptions import mishap
from benchmarks.torture.jobs import JOBS
from benchmarks.torture.processes import Work
from benchmarks.torture.samples import Samples
from benchmarks.torture.tally import Result, Section

CALLS = {"socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr", "socket.sendto"}
NEW_NETWORK = 0x40000000
"""The flag CLONE_NEWNET of unshare(2)."""


def closed(work: Work) -> Work:
    """`work` in a network namespace of its own where that is permitted; what asks the network is said."""

    def alone() -> None:
        is_closed = ctypes.CDLL(None).unshare(NEW_NETWORK) == 0
        os.write(1, b"the namespace is closed\n" if is_closed else b"the namespace is open\n")

        def hook(event: str, arguments: tuple[object, ...]) -> None:
            if event in CALLS and not isinstance(arguments[-1], str | bytes):  # a path: a socket of this machine
                os.write(1, f"ASKED {event} {arguments[-1]}\n".encode())

        sys.addaudithook(hook)
        work()

    return alone


def network(samples: Samples, numbers: range) -> Iterator[Result]:
    """Each command once."""
    for number in numbers:
        job = list(JOBS.values())[number]
        place = job.prepare(samples)
        found = samples.run(closed(job.work(samples, place)))
        asked = [line for line in found.said.splitlines() if line.startswith("ASKED")]
        facts = {"namespace_closed": "the namespace is closed" in found.said}
        bad = mishap(found, job.name)
        if bad:
            yield bad
        elif asked or found.code:
            yield Result("silent", f"{job.name}: ended with {found.code}, {asked[:1]}", facts=facts)
        else:
            yield Result("harmless", job.name, facts=facts)


SECTIONS = (Section("network", "commands in a closed network", len(JOBS), len(JOBS), network),)
