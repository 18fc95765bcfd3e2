"""Holds a linked image against the plan: compare.py ELF GENERATED_FOLDER. What the image says comes from readelf alone."""
import json
import pathlib
import re
import subprocess
import sys

# The chip's windows, as its linker script and data sheet have them; not read from anything that the tool wrote.
WINDOWS = {
    "ITCM": (0x00000000, 262144),
    "MRAM": (0x00410000, 4128768),
    "DTCM": (0x20000000, 507904),
    "SRAM": (0x20080000, 3145728),
    "PSRAM": (0x60000000, 67108864),
}
elf, folder = sys.argv[1], pathlib.Path(sys.argv[2])
image = pathlib.Path(elf).read_bytes()
text = subprocess.run(["readelf", "-SlsW", elf], check=True, capture_output=True, text=True).stdout
failures = []


def expect(condition, message):
    if not condition:
        failures.append(message)


sections = {}
for m in re.finditer(r"^ +\[ *(\d+)\] (\S+) +(\S+) +([0-9a-f]{8}) ([0-9a-f]+) ([0-9a-f]+) [0-9a-f]+ +([A-Za-z]*) +\d+ +\d+ +\d+$", text, re.M):
    index, name, kind, address, offset, size, flags = m.groups()
    sections[name] = dict(index=int(index), kind=kind, address=int(address, 16), offset=int(offset, 16), size=int(size, 16), flags=flags)
loads = [
    dict(offset=int(m[1], 16), run=int(m[2], 16), load=int(m[3], 16), file=int(m[4], 16), memory=int(m[5], 16), flags=m[6])
    for m in re.finditer(r"^ +LOAD +0x(\S+) 0x(\S+) 0x(\S+) 0x(\S+) 0x(\S+) ([RWE ]{3})", text, re.M)
]
symbols = {}
for m in re.finditer(r"^ +\d+: ([0-9a-f]{8}) +(\d+|0x[0-9a-f]+) \S+ +\S+ +\S+ +(\S+) (\S+)$", text, re.M):
    symbols[m[4]] = dict(address=int(m[1], 16), size=int(m[2], 0), index=m[3])
by_index = {s["index"]: name for name, s in sections.items()}


def inside(address, size, memory):
    origin, length = WINDOWS[memory]
    return origin <= address and address + size <= origin + length


def load_address(section):
    for load in loads:
        if section["size"] and load["run"] <= section["address"] and section["address"] + section["size"] <= load["run"] + load["memory"]:
            if section["kind"] == "NOBITS" or section["offset"] - load["offset"] == section["address"] - load["run"]:
                return section["address"] - load["run"] + load["load"]
    return None


def bytes_at(symbol):
    section = sections[by_index[int(symbols[symbol]["index"])]]
    start = section["offset"] + symbols[symbol]["address"] - section["address"]
    return image[start : start + symbols[symbol]["size"]]


def words(first, last):
    section = sections[".hp.kws.tables"]
    start = section["offset"] + symbols[first]["address"] - section["address"]
    end = section["offset"] + symbols[last]["address"] - section["address"]
    return [int.from_bytes(image[i : i + 4], "little") for i in range(start, end, 4)]


# Arenas: address, size, alignment, type of section, and the bytes of constants.
plan = json.loads((folder / "kws_plan.json").read_text())
arenas = [a for table in ("arena_usages", "persistent_arenas", "constant_arenas") for a in plan[table].values()]
expect(len(arenas) == 7, f"the plan has {len(arenas)} arenas, this test is about 7")
for arena in arenas:
    name, memory = arena["symbol"], arena["memory"]
    if name not in symbols:
        failures.append(f"{name} is not in the image")
        continue
    symbol = symbols[name]
    section = by_index[int(symbol["index"])]
    cold = arena["role"] == "constant" and not arena["is_staged"]
    kind = "rodata" if cold else {"scratch": "arena", "persistent": "bss", "constant": "arena"}[arena["role"]]
    expect(symbol["size"] == arena["total_size"], f"{name}: size {symbol['size']}, planned {arena['total_size']}")
    expect(symbol["address"] % arena["alignment"] == 0, f"{name}: address {symbol['address']:#x} is not aligned to {arena['alignment']}")
    expect(inside(symbol["address"], symbol["size"], memory), f"{name}: {symbol['address']:#x} is outside {memory}")
    expect(section == f".hp.kws.{kind}.{memory.lower()}", f"{name} stands in {section}")
    expect(sections[section]["kind"] == ("PROGBITS" if cold else "NOBITS"), f"{section} is {sections[section]['kind']}")
    if arena["role"] == "constant":
        holder = arena["source_symbol"] if arena["is_staged"] else name
        blob = (folder / f"kws_constants_{memory.lower()}.bin").read_bytes()
        expect(bytes_at(holder) == blob, f"{holder} does not hold the bytes of its blob")
        expect(inside(symbols[holder]["address"], len(blob), arena["source_memory"]), f"{holder} is outside {arena['source_memory']}")

# Tables: every section of ours in RAM that has bytes is copied once from where its segment is loaded, every zeroed one is zeroed once,
# and memory that needs power waits for phase 1.
copied, zeroed = {}, {}
for phase in (0, 1):
    table = words(f"__hp_kws_copy_table{phase}_start__", f"__hp_kws_copy_table{phase}_end__")
    for load, run, count in zip(table[0::3], table[1::3], table[2::3]):
        if count:
            expect(run not in copied, f"{run:#x} is copied twice")
            copied[run] = (load, count * 4, phase)
    table = words(f"__hp_kws_zero_table{phase}_start__", f"__hp_kws_zero_table{phase}_end__")
    for run, count in zip(table[0::2], table[1::2]):
        if count:
            zeroed[run] = (count * 4, phase)
for name, section in sections.items():
    match = re.fullmatch(r"\.hp\.kws\.(code|rodata|data|bss)\.(\w+)", name)
    if not match or section["size"] == 0 or match[2] == "mram":
        continue
    phase = 1 if match[2] == "psram" else 0
    if match[1] == "bss":
        expect(zeroed.pop(section["address"], None) == (section["size"], phase), f"{name} is not zeroed in phase {phase}")
    else:
        wanted = (load_address(section), section["size"], phase)
        expect(copied.pop(section["address"], None) == wanted, f"{name} is not copied from {wanted[0]:#x} in phase {phase}")
        expect(inside(wanted[0], section["size"], "MRAM"), f"{name} is loaded from outside MRAM")
        expect(wanted[0] % 4 == 0, f"{name}: load address {wanted[0]:#x}")
expect(not copied and not zeroed, f"the tables name what is no section: {copied} {zeroed}")

# Sections that must have been filled by this firmware, or the rest of this test would prove nothing.
for name in ("code.itcm", "code.dtcm", "rodata.dtcm", "data.dtcm", "noinit.dtcm", "data.sram", "bss.sram", "data.psram", "rodata.mram"):
    expect(sections[".hp.kws." + name]["size"] > 0, f".hp.kws.{name} is empty")
for name, section in sections.items():
    memory = name.rpartition(".")[2].upper()
    if name.startswith(".hp.kws.") and memory in WINDOWS and section["size"]:
        expect(inside(section["address"], section["size"], memory), f"{name} is outside {memory}")
        expect((section["kind"] == "NOBITS") == (name.split(".")[3] in ("bss", "noinit", "arena")), f"{name} is {section['kind']}")
expect("W" not in sections[".hp.kws.tables"]["flags"], "the tables are writable")
expect(sections[".helia.plan"]["flags"] == "", "the plan is loaded")

# Segments: never writable and executable, and all bytes of the file are loaded into memory that keeps them.
for load in loads:
    expect("W" not in load["flags"] or "E" not in load["flags"], f"segment at {load['run']:#x} is writable and executable")
    expect(load["file"] == 0 or inside(load["load"], load["file"], "MRAM"), f"segment at {load['run']:#x} is loaded outside MRAM")

# Symbols that say how full a memory is.
for memory in WINDOWS:
    m = memory.lower()
    origin, length = WINDOWS[memory]
    expect(symbols[f"__hp_{m}_start"]["address"] == origin and symbols[f"__hp_{m}_size"]["address"] == length, f"window of {memory}")
    used = symbols[f"__hp_{m}_used"]["address"]
    expect(used + symbols[f"__hp_{m}_free"]["address"] == length, f"used and free of {memory}")
    own = sum(s["size"] for n, s in sections.items() if re.fullmatch(rf"\.hp\.kws\.\w+\.{m}", n))
    expect(used >= own, f"{memory}: {used} used, {own} of ours alone")

for failure in failures:
    print(f"FAILED: {elf}: {failure}")
sys.exit(1 if failures else 0)
