#!/usr/bin/env python3
"""Prints docs/conformance.md from requirements.tsv and fails if a row of it does not hold.

usage: make_page.py BUILD_FOLDER [CORPUS_FOLDER]

A row names tests as CTest does, with a function of the unit test, a case of cases.yaml or a word of the script behind a colon. Each must
be there. A row without a test says why. With the corpus at hand, its requirements and its cases are held against the rows as well.
"""
import ast
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.dirname(HERE)
FAMILIES = {"PLN": "Planners", "DEF": "Planning data", "PLC": "Placement"}
OPENING = """# Conformance

Each requirement of the reference documents, in our words, with the tests that show it. Printed from `tests/conformance/requirements.tsv`;
`ctest -R script.conformance_page` holds the page to the table and every named test to be there. `script.conformance` runs the
corpus's cases; the names behind it are theirs. Decisions settle where the documents disagree, and carry the numbers of their list.
"""


def read_rows():
    with open(os.path.join(HERE, "requirements.tsv"), encoding="utf-8") as f:
        lines = [line.rstrip("\n").split("\t") for line in f][1:]
    for number, cells in enumerate(lines, start=2):
        if len(cells) != 4:
            sys.exit(f"requirements.tsv:{number}: {len(cells)} columns instead of 4")
    return [(name, words, [t for t in tests.split(";") if t], note) for name, words, tests, note in lines]


def ctest_names(build):
    run = subprocess.run(["ctest", "-N", "--test-dir", build], capture_output=True, text=True, check=True)
    return set(re.findall(r"^ *Test +#\d+: (\S+)", run.stdout, re.M))


def text_of(*path):
    try:
        with open(os.path.join(TESTS, *path), encoding="utf-8") as f:
            return f.read()
    except FileNotFoundError:
        return None


def cases_not_run():
    """Cases that the runner lists with a reason instead of running them."""
    listed, run_though = set(), set()
    for name in ("run_cases.py", "image_cases.py"):
        for node in ast.parse(text_of("conformance", name)).body:
            target = getattr(node.targets[0], "id", None) if isinstance(node, ast.Assign) else None
            if target == "OVERRULED":
                listed |= set(ast.literal_eval(node.value))
            elif target == "RUN_THOUGH_OVERRULED":
                run_though |= ast.literal_eval(node.value)
    return listed - run_though


def detail_is_there(name, detail, cases):
    """`detail` of the test `name`: a function that main() runs, a case of the corpus that is run, a word of the script."""
    kind, _, rest = name.partition(".")
    if name == "script.conformance":
        return cases is None or detail in cases
    if kind == "unit":
        room, _, theme = rest.partition(".")
        source = text_of("unit", room, f"test_{theme}.c") or ""
        defined = re.search(rf"^static void {detail}\(void \*\*state\)", source, re.M)
        return defined is not None and len(re.findall(rf"\b{detail}\b", source)) > 1
    if kind == "script":
        return re.search(rf"\b{detail}\b", text_of("scripts", f"test_{rest}.sh") or "") is not None
    return False


def faults_of(row, tests_known, cases):
    name, words, tests, note = row
    if not words:
        yield f"{name} has no words"
    if not tests and not note:
        yield f"{name} has neither a test nor a reason"
    for entry in tests:
        test, _, detail = entry.partition(":")
        if test not in tests_known:
            yield f"{name}: CTest has no test {test}"
        elif detail and not detail_is_there(test, detail, cases):
            yield f"{name}: {test} has no {detail}"


def corpus_facts(corpus):
    """Requirements of the corpus and its cases that are run; None for what is not at hand."""
    requirements = cases = None
    for path in (os.path.join(corpus, "requirements.md"), os.path.join(corpus, "..", "reference", "requirements.md")):
        if os.path.isfile(path):
            with open(path, encoding="utf-8") as f:
                requirements = re.findall(r"^- (REQ-(?:PLN|DEF|PLC)-\d+)\b", f.read(), re.M)
            break
    path = os.path.join(corpus, "cases.yaml")
    if os.path.isfile(path):
        with open(path, encoding="utf-8") as f:
            cases = set(re.findall(r"^ *-? *id: '?([A-Z]+-[A-Z0-9-]+)'?$", f.read(), re.M)) - cases_not_run()
    return requirements, cases


def by_test(tests):
    """Entries of one test together: `unit.a.b` one, two."""
    grouped = {}
    for entry in tests:
        test, _, detail = entry.partition(":")
        grouped.setdefault(test, []).extend([detail] if detail else [])
    return "; ".join(f"`{test}` " + ", ".join(details) if details else f"`{test}`" for test, details in grouped.items())


def page(rows):
    lines = [OPENING]
    for family, title in FAMILIES.items():
        members = [row for row in rows if row[0].startswith(f"REQ-{family}-")]
        without = sum(1 for row in members if not row[2])
        lines += [f"## {title}", "", f"{len(members)} requirements, {len(members) - without} shown by tests, {without} with a reason instead.", "",
                  "| requirement | in our words | shown by | note |", "|---|---|---|---|"]
        lines += [f"| {name} | {words} | {by_test(tests)} | {note} |" for name, words, tests, note in members]
        lines.append("")
    return "\n".join(lines)


def main():
    build = sys.argv[1]
    rows = read_rows()
    requirements, cases = corpus_facts(sys.argv[2]) if len(sys.argv) > 2 else (None, None)
    known = ctest_names(build)
    faults = [fault for row in rows for fault in faults_of(row, known, cases)]
    names = [row[0] for row in rows]
    faults += [f"{name} has two rows" for name in sorted(set(names)) if names.count(name) > 1]
    if requirements is not None:
        faults += [f"{name} has no row" for name in requirements if name not in names]
        faults += [f"{name} is no requirement" for name in names if name not in requirements]
    for fault in faults:
        print(f"requirements.tsv: {fault}", file=sys.stderr)
    print(page(rows), end="")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
