#!/usr/bin/env python3
"""progress.py TOOL, in an empty folder that holds waits.so: runs the tool on pseudo-terminals and checks what is seen there, what is
left when it ends, and what signals do.

It waits for what it wants to see and not for times. The only times that it holds the tool to are lower bounds, which no slow machine
can break: nothing in the first second, and no more than so many lines in a time."""
import fcntl
import json
import os
import pty
import random
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time

TOOL = sys.argv[1]
PATIENCE = 120  # seconds until something that should come is said to be missing
WIPE = "\r\x1b[K"
FOR_EVER = 1 << 50
LINE = re.compile(r"optimal: (?P<seconds>\d+) s, (?P<unit>work|nodes) (?P<count>[\d.]+)(?P<thousands> [KMGTP])?, "
                  r"best (?P<best>\d+) B, bound (?P<bound>\d+) B, gap (?P<gap>[\d.]+)%")
UNITS = {None: 1, " K": 1e3, " M": 1e6, " G": 1e9, " T": 1e12, " P": 1e15}


def expect(condition, *what):
    if not condition:
        print("FAILED:", *what)
        sys.exit(1)


def write_lives(path):
    """Two thousand lives of random sizes: the best layout that anybody finds stays some percent above the bound."""
    dice = random.Random(2)
    with open(path, "w", encoding="ascii") as file:
        file.write("id,lower,upper,size\n")
        for tensor in range(2000):
            lower = dice.randrange(500)
            file.write(f"{tensor},{lower},{lower + 1 + dice.randrange(60)},{16 * dice.randrange(1, 4000)}\n")


PROBLEM = ["--soc", "apollo510", "--model", "lives.csv", "--arena-location", "psram",
           "--set", "memory.allocate_arenas=false"]


def optimal(max_work):
    return PROBLEM + ["--planner", "optimal", "--planner-option", f"max_work={max_work}"]


class Terminal:
    """The tool, or another program, with everything on a terminal of its own."""

    def __init__(self, words, columns=100, terminal="xterm", program=TOOL):
        self.seen = ""
        self.started = time.monotonic()
        self.first_seen = None
        self.pid, self.master = pty.fork()
        if self.pid == 0:
            # The child sizes its own terminal, before the tool can ask.
            fcntl.ioctl(2, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
            os.environ["TERM"] = terminal
            os.execv(program, [program] + words)

    def read(self, seconds):
        """Reads what comes; false at the end."""
        if not select.select([self.master], [], [], seconds)[0]:
            return True
        try:
            data = os.read(self.master, 65536)
        except OSError:  # Linux's way to say that nobody holds the other side any more
            return False
        if data and self.first_seen is None:
            self.first_seen = time.monotonic()
        self.seen += data.decode()
        return data != b""

    def wait_until(self, is_there, what):
        while not is_there(self.seen):
            expect(time.monotonic() < self.started + PATIENCE, what, "is not seen; but:", repr(self.seen))
            expect(self.read(1), "ended before this was seen:", what, repr(self.seen))

    def end(self):
        """The status, as waitpid has it."""
        while self.read(1):
            expect(time.monotonic() < self.started + PATIENCE, "does not end:", repr(self.seen[-200:]))
        os.close(self.master)
        return os.waitpid(self.pid, 0)[1]

    def lines(self):
        """What the line showed, one after the other."""
        return [part for part in re.split(r"[\r\n]+", self.seen.replace("\x1b[K", "")) if re.match(r"\w+: \d+ s", part)]


def screen(seen):
    """What stands on the terminal: CR, LF and "erase to the end of the line" are all that may be used."""
    rows, column = [""], 0
    for sign in re.findall(r"\x1b\[K|[^\x1b]|\x1b", seen):
        row = rows[-1]
        if sign == "\r":
            column = 0
        elif sign == "\n":
            rows.append("")
        elif sign == "\x1b[K":
            rows[-1] = row[:column]
        else:
            expect(sign != "\x1b", "an unknown control sequence:", repr(seen))
            rows[-1] = row[:column] + sign + row[column + 1:]
            column += 1
    return rows


def count_of(match):
    return float(match["count"]) * UNITS[match["thousands"]]


def with_nodes(lines):
    """Those that complete search has told; a slow host sees some before, of the planners that it asks."""
    return [line for line in lines if ", nodes " in line]


def check_told(lines, bound):
    """Every line says what it should; work and then nodes grow, the best does not rise, nothing is below the bound."""
    told = [LINE.fullmatch(line) for line in lines]
    expect(all(told), "not of the form that was expected:", lines)
    for match in told:
        best = int(match["best"])
        expect(int(match["seconds"]) >= 1, "a line in the first second:", match.group())
        expect(int(match["bound"]) == bound, "the bound is", bound, "and not as told:", match.group())
        expect(best >= bound, "the best is below the bound:", match.group())
        expect(abs(float(match["gap"]) - 100 * (best - bound) / best) < 0.051, "the gap is another:", match.group())
    for before, after in zip(told, told[1:]):
        if before["unit"] == after["unit"]:
            expect(count_of(after) >= count_of(before), "something is lost:", before.group(), after.group())
        expect((before["unit"], after["unit"]) != ("nodes", "work"), "nodes are lost:", before.group(), after.group())
        expect(int(after["best"]) <= int(before["best"]), "the best rises:", before.group(), after.group())
        expect(int(after["seconds"]) >= int(before["seconds"]), "time goes back:", before.group(), after.group())
    nodes = [count_of(match) for match in told if match["unit"] == "nodes"]
    expect(nodes[-1] > nodes[0], "nodes do not grow:", lines)


def snapshot(folder):
    files = {}
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), "rb") as file:
            files[name] = (file.read(), os.stat(file.fileno()).st_mtime_ns)
    return files


def make_older_outputs():
    subprocess.run([TOOL, "generate", "-d", "out", "--depfile", "out/kws.d"] + PROBLEM + ["--planner", "greedy"], check=True)
    subprocess.run([TOOL, "plan", "-q", "-o", "out/other.json"] + PROBLEM + ["--planner", "greedy"], check=True)
    with open("out/other.json", encoding="utf-8") as file:
        return snapshot("out"), json.load(file)["planner"]["lower_bound"]


def in_the_middle(words, end_it, wanted_signal, older, bound):
    """Ends the tool while it searches; the older outputs are as they were, and nothing lies beside them."""
    run = Terminal(words)
    run.wait_until(lambda _: len(set(with_nodes(run.lines()[:-1]))) >= 5, "five lines of progress") # the last may not be whole yet
    seconds = time.monotonic() - run.started
    end_it(run)
    status = run.end()
    expect(os.WIFSIGNALED(status) and os.WTERMSIG(status) == wanted_signal, "the status is", status, "not signal", wanted_signal)
    expect(snapshot("out") == older, "the older outputs are not as they were")
    expect(run.first_seen - run.started >= 1, "something is seen within the first second:", repr(run.seen))
    expect(len(run.lines()) <= 10 * seconds + 1, len(run.lines()), "lines in", seconds, "seconds")
    expect(run.seen.startswith(WIPE), "the line does not begin by wiping what is there:", repr(run.seen[:20]))
    check_told(run.lines()[:-1], bound)


def work_that_takes_a_second():
    """So much that progress was seen for a while, and the run that showed it."""
    max_work = 1 << 22
    while True:
        run = Terminal(["plan"] + optimal(max_work))
        expect(run.end() == 0, "does not plan:", run.seen)
        if len(with_nodes(run.lines())) >= 3:
            return max_work, run
        max_work *= 2
        expect(max_work < FOR_EVER, "no amount of work takes a second: the problem is too easy for this test")


def check_end(max_work, run):
    """When it is over the terminal shows what a file would hold; and a file gets nothing else."""
    quiet = subprocess.run([TOOL, "plan"] + optimal(max_work), capture_output=True, check=True, env=dict(os.environ, TERM="xterm"))
    expect(quiet.stderr == b"", "progress where nobody sits:", quiet.stderr)
    expect(screen(run.seen) == quiet.stdout.decode().split("\n"), "the terminal is not clean:", "\n".join(screen(run.seen)))
    run = Terminal(["plan", "--quiet"] + optimal(2 * max_work))
    expect(run.end() == 0 and run.seen == "", "progress in spite of --quiet:", repr(run.seen))
    run = Terminal(["plan"] + optimal(2 * max_work), terminal="dumb")
    expect(run.end() == 0 and run.lines() == [] and "\x1b" not in run.seen, "progress on a dumb terminal:", repr(run.seen))


def check_narrow():
    """A line is cut before the last column, so that it stays one line."""
    run = Terminal(["plan", "--planner", "all"] + PROBLEM + ["--planner-option", f"max_work={FOR_EVER}"], columns=30)
    run.wait_until(lambda _: sum(line.startswith("optimal: ") for line in run.lines()) >= 3, "the planner's name")
    os.kill(run.pid, signal.SIGTERM)
    expect(os.WTERMSIG(run.end()) == signal.SIGTERM, "is not ended by SIGTERM")
    expect(max(map(len, run.lines())) == 29, "lines of another length than 29:", run.lines())


def check_background(max_work):
    """Who has been put into the background, or was never in front, leaves the terminal to those in front."""
    command = " ".join(f"'{word}'" for word in [TOOL, "plan"] + optimal(max_work))
    run = Terminal(["-mc", f"{command} & wait"], program="/bin/sh")
    run.end()
    expect("used in all" in run.seen or "Plan for" in run.seen, "does not plan:", repr(run.seen))
    expect("\x1b" not in run.seen, "progress from the background:", repr(run.seen))
    run = Terminal(["-mc", f"{command}; echo stopped; bg; wait"], program="/bin/sh")
    run.wait_until(lambda _: run.lines(), "a line of progress")
    os.write(run.master, b"\x1a")
    run.wait_until(lambda seen: "stopped\r\n" in seen, "the shell")
    run.end()
    expect("\x1b" not in run.seen.split("stopped\r\n")[1], "writes to a terminal that others use:", repr(run.seen))


def waiting_plugin(*words):
    """Six lives, of which 128 bytes are alive at time 4 and no more at any other; a planner that waits for the file "go"."""
    with open("few.csv", "w", encoding="ascii") as file:
        file.write("id,lower,upper,size\na,0,4,64\nb,1,10,16\nc,2,4,32\nd,3,10,16\ne,4,7,32\nf,5,7,64\n")
    os.environ["HELIA_TEST_GO"] = os.path.abspath("go")
    return ["plan", "--soc", "apollo510", "--model", "few.csv", "--planner-plugin", "waits.so", "--planner", "stacked", *words]


WAITING = re.compile(re.escape(WIPE) + r"stacked: [1-9]\d* s, bound 128 B")


def check_plugin(wanted_code, *words):
    """What a planner built outside does not tell is not shown; that it runs is. Findings stand on lines of their own."""
    run = Terminal(waiting_plugin(*words))
    run.wait_until(WAITING.search, "the plugin's name")
    with open("go", "w", encoding="ascii"):
        pass
    status = run.end()
    expect(os.WIFEXITED(status) and os.WEXITSTATUS(status) == wanted_code, "the status is", status, repr(run.seen))
    quiet = subprocess.run([TOOL] + waiting_plugin(*words), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    os.remove("go")
    expect(screen(run.seen.replace("a planner that prints\r\n", "")) ==
           quiet.stdout.decode().replace("a planner that prints\n", "").split("\n"), "the terminal is not clean:", repr(run.seen))


def check_plugin_ends(ending):
    """A signal to the tool alone: no terminal sends one to all that it controls. The pipe ends when nobody holds it any more."""
    reader, writer = os.pipe()
    master, slave = pty.openpty()
    with subprocess.Popen([TOOL] + waiting_plugin(), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=slave,
                          pass_fds=[writer], env=dict(os.environ, TERM="xterm")) as tool:
        os.close(writer)
        os.close(slave)
        seen = ""
        while not WAITING.search(seen):
            expect(select.select([master], [], [], PATIENCE)[0], "the plugin's name is not seen:", repr(seen))
            seen += os.read(master, 65536).decode()
        tool.send_signal(ending)
        expect(tool.wait(PATIENCE) == -ending, "does not end by signal", ending, "but with", tool.returncode)
    expect(select.select([reader], [], [], PATIENCE)[0] and os.read(reader, 1) == b"", "the plugin's process lives on")
    os.close(reader)
    os.close(master)


def check_library():
    """A library does not write to its program's terminal, however long it plans."""
    waiting_plugin()
    os.environ["HELIA_PLACEMENT_PLANNERS"] = os.path.abspath("waits.so")
    run = Terminal([], program="./program")
    while time.monotonic() < run.started + 2:
        expect(run.read(0.1), "ended before it was let go:", repr(run.seen))
    with open("go", "w", encoding="ascii"):
        pass
    expect(run.end() == 0, "does not plan:", repr(run.seen))
    expect(run.seen == "a planner that prints\r\nand leaves it in its buffer\r\n", "the library writes:", repr(run.seen))
    os.remove("go")
    del os.environ["HELIA_PLACEMENT_PLANNERS"]


def main():
    write_lives("lives.csv")
    older, bound = make_older_outputs()
    generate = ["generate", "-d", "out", "--depfile", "out/kws.d"] + optimal(FOR_EVER)
    in_the_middle(generate, lambda run: os.write(run.master, b"\x03"), signal.SIGINT, older, bound)
    in_the_middle(["plan", "-o", "out/other.json"] + optimal(FOR_EVER), lambda run: os.kill(run.pid, signal.SIGHUP),
                  signal.SIGHUP, older, bound)
    max_work, run = work_that_takes_a_second()
    check_told(run.lines(), bound)
    check_end(max_work, run)
    check_narrow()
    check_background(2 * max_work)
    check_plugin(0)
    check_plugin(1, "--set", "memory.constraints=[{name: DTCM, max_size: 16}, {name: SRAM, max_size: 16}]")
    check_library()
    for ending in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        check_plugin_ends(ending)
    print("progress: all right")


if __name__ == "__main__":
    main()
