"""Kill a process that replaces a file, and look whether the file is whole."""

import os
import random
import signal
import subprocess
import sys
import tempfile
import time

LINES = 20_000


def write(path, number, in_place):
    """Write one round: the same number on every line."""
    target = path if in_place else path + ".tmp"
    with open(target, "w") as file:
        for _ in range(LINES):
            file.write(f"{number}\n")
        file.flush()
        os.fsync(file.fileno())
    if not in_place:
        os.replace(target, path)
        folder = os.open(os.path.dirname(path), os.O_RDONLY)
        os.fsync(folder)
        os.close(folder)


def whole(path):
    """Tell whether the file holds one round, complete."""
    with open(path) as file:
        lines = file.read().split()
    return len(lines) == LINES and len(set(lines)) == 1


def main():
    in_place = "--in-place" in sys.argv
    if "--write" in sys.argv:
        number = 0
        while True:
            number += 1
            write(sys.argv[-1], number, in_place)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "file.txt")
        torn = 0
        for _ in range(50):
            write(path, 0, in_place=False)
            writer = subprocess.Popen([sys.executable, *sys.argv, "--write", path])
            time.sleep(random.uniform(0.1, 0.3))
            writer.send_signal(signal.SIGKILL)
            writer.wait()
            torn += not whole(path)
    print(f"50 rounds, {torn} torn")


if __name__ == "__main__":
    main()
