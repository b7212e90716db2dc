"""A `soni` that starts at once: a process in which everything is loaded forks for each command.

Loading takes most of the time of a test that wants to know what a command does. `soni_command()` is a program to run
in place of `soni`: it hands its stdin, stdout, stderr, folder and environment to the warm process. That forks a process
which runs the command and ends when the program is killed. What is about starting itself runs the real `soni`. With
`-c CODE` it runs Python code, as `python -W error` does.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import gc
import json
import os
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

SONI = Path(sys.executable).with_name("soni")
ROOT = Path(__file__).parents[1]
_PROGRAM = """#!{python} -IS
import json, os, signal, socket, sys

server = socket.socket(socket.AF_UNIX)
server.connect({address!r})
request = json.dumps([sys.argv[1:], os.getcwd(), dict(os.environ)]).encode()
socket.send_fds(server, [len(request).to_bytes(4, "big")], [0, 1, 2])
server.sendall(request)
answers = server.makefile()
process = int(answers.readline())
for number in (signal.SIGINT, signal.SIGTERM):
    signal.signal(number, lambda number, frame: os.kill(process, number))
status = int(answers.readline())
if status < 0:
    signal.signal(-status, signal.SIG_DFL)
    os.kill(os.getpid(), -status)
sys.exit(status)
"""


@functools.cache
def soni_command() -> str:
    """The program to run in place of `soni`; the real one where the system cannot do this."""
    if not hasattr(os, "pidfd_open"):
        return str(SONI)
    folder = Path(tempfile.mkdtemp())
    address = str(folder / "warm")
    server = subprocess.Popen([sys.executable, "-m", "tests.warm", address], cwd=ROOT, stdout=subprocess.PIPE)
    atexit.register(server.terminate)
    assert server.stdout is not None
    assert server.stdout.readline() == b"ready\n"
    program = folder / "soni"
    program.write_text(_PROGRAM.format(python=sys.executable, address=address))
    program.chmod(0o700)
    return str(program)


class WarmServer:
    """Forks for each connection, and tells its other end the process and then its status."""

    def __init__(self, address: str) -> None:
        self._listening = socket.socket(socket.AF_UNIX)
        self._listening.bind(address)
        self._listening.listen()
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._listening, selectors.EVENT_READ, None)

    def run(self) -> None:
        """Serve until the process is ended."""
        while True:
            for key, _ in self._selector.select():
                if key.data is None:
                    self._accept()
                elif key.data[0] == "ended":
                    self._ended(key.fd, *key.data[1:])
                else:  # whoever asked for the process is gone
                    self._selector.unregister(key.fileobj)
                    os.kill(key.data[1], signal.SIGKILL)

    def _accept(self) -> None:
        connection, _ = self._listening.accept()
        size, descriptors, _, _ = socket.recv_fds(connection, 4, 3)
        request = b""
        while len(request) < int.from_bytes(size, "big"):
            request += connection.recv(1 << 16)
        process = os.fork()
        if not process:
            self._listening.close()
            self._selector.close()
            connection.close()
            arguments, folder, environment = json.loads(request)
            command(arguments, folder, environment, descriptors)
        for descriptor in descriptors:
            os.close(descriptor)
        connection.sendall(f"{process}\n".encode())
        self._selector.register(connection, selectors.EVENT_READ, ("gone", process))
        ended = os.pidfd_open(process)
        self._selector.register(ended, selectors.EVENT_READ, ("ended", process, connection))

    def _ended(self, ended: int, process: int, connection: socket.socket) -> None:
        status = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
        self._selector.unregister(ended)
        os.close(ended)
        with contextlib.suppress(KeyError, ValueError):
            self._selector.unregister(connection)
        with contextlib.suppress(OSError):
            connection.sendall(f"{status}\n".encode())
        connection.close()


def command(arguments: list[str], folder: str, environment: dict[str, str], descriptors: list[int]) -> None:
    """Run a command in this process, as a fresh one would."""
    for place, descriptor in enumerate(descriptors):
        os.dup2(descriptor, place)
        os.close(descriptor)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    unbuffered = bool(environment.get("PYTHONUNBUFFERED"))
    streams: dict[str, Any] = {"encoding": "utf-8", "errors": "surrogateescape"}
    sys.stdin = open(0, **streams)  # noqa: SIM115  # the streams of the process
    sys.stdout = os.fdopen(os.dup(1), "w", **streams, buffering=1 if unbuffered or os.isatty(1) else -1)
    sys.stderr = os.fdopen(os.dup(2), "w", **streams, buffering=1)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    status: object = 0
    try:
        if arguments[:1] == ["-c"]:
            warnings.simplefilter("error")
            exec(compile(arguments[1], "<block>", "exec"), {"__name__": "__main__"})  # noqa: S102  # as python does
        else:
            from soni.cli.main import main

            sys.argv = ["soni", *arguments]
            main()
    except SystemExit as end:
        status = end.code
    except BaseException:
        import traceback

        traceback.print_exc()
        status = 1
    with contextlib.suppress(BrokenPipeError):
        sys.stdout.flush()
    atexit._run_exitfuncs()
    os._exit(status if isinstance(status, int) else int(status is not None))


def load() -> None:
    """Import what commands import, and load what they load."""
    import soni.cli.chat
    import soni.cli.doctor
    import soni.cli.eval
    import soni.cli.main
    import soni.cli.serve
    import soni.cli.upkeep
    import soni.du.local.understanding
    import soni.server.app
    import soni.server.serving
    import soni.store.postgres  # noqa: F401
    from soni.du.local import acts
    from soni.du.local.encoder import encoder
    from soni.languages import languages

    encoder().encode(["hello"])
    acts.warm(languages(("en", "es")))
    gc.freeze()


if __name__ == "__main__":
    load()
    server = WarmServer(sys.argv[1])
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    server.run()
