"""The corpus's cases about linked images (areas measured, verify_elf, emulation): small images are built with the GNU tools for Arm
and checked by the tool. Used by run_cases.py."""
import json
import os
import shutil
import subprocess

COMPILER, LINKER = "arm-none-eabi-gcc", "arm-none-eabi-ld"
MRAM, DTCM, SRAM = 0x00410000, 0x20000000, 0x20080000  # where apollo510's windows of profile sbl start (MEA-017)

# Cases that cannot be shown through the tool as written, each with the reason.
OVERRULED = {
    "MEA-004": "decision 22: a section list that cannot be read is an error, not a guess",
    "MEA-006": "sizes and sections are read from one section table, so the two cannot contradict each other",
    "MEA-012": "decision 16: one decimal for MB; the edges are held by unit test base.size",
    "VER-003": "the contract's gate proves or fails: a planned arena that the image lacks is an error (arena-missing), and so is a stripped "
               "image (image-stripped)",
    "VER-004": "every SoC of the registry states its memories, so no range is unknown; without verified windows the planned table is shown "
               "(MEA-013)",
    "VER-006": "the registry knows the memory behind apollo4p's SRAM, so the message names it instead of calling it unmapped; the end stays half open",
    "VER-008": "arenas are objects with C names and are found by the whole name; a mangled name is another symbol",
    "VER-009": "the gate holds for every engine and memory; a missing ELF is an error",
    "QEM-002": "a fact about an emulated board that the registry does not hold; firmware runs on mps3-an547 (script.emit_run)",
    "QEM-004": "a fact about an emulated board that the registry does not hold; firmware runs on mps3-an547 (script.emit_run)",
    "QEM-005": "a fact about an emulated board that the registry does not hold; firmware runs on mps3-an547 (script.emit_run)",
}
RUN_THOUGH_OVERRULED = {"MEA-004", "VER-003", "VER-006", "VER-008", "VER-009"}


def can_build():
    return shutil.which(COMPILER) is not None and shutil.which(LINKER) is not None


def expect(condition, text):
    if not condition:
        raise AssertionError(text)


class Image:
    """Sections at given addresses, linked as they are."""

    def __init__(self):
        self.sections = []

    def add(self, name, size, address, flags="aw", nobits=False, load=None, symbol=None):
        """`flags` as the assembler writes them; `load`: the load address, where it is another one."""
        self.sections.append((name, size, address, flags, nobits, load, symbol))
        return self

    def build(self, shop, name="app.elf"):
        source, script = ["int unused;"], ["SECTIONS {"]
        for section, size, address, flags, nobits, load, symbol in self.sections:
            label = f".global {symbol}\\n.type {symbol}, %object\\n.size {symbol}, {size}\\n{symbol}:\\n" if symbol else ""
            kind = "nobits" if nobits else "progbits"
            source.append(f'__asm__(".section {section},\\"{flags}\\",%{kind}\\n{label}.space {size}\\n.previous");')
            at = f" AT({load:#x})" if load is not None else ""
            script.append(f"  {section} {address:#x} :{at} {{ KEEP(*({section})) }}")
        script += ["  /DISCARD/ : { *(COMMON) }", "}"]
        shop.write("image.c", "\n".join(source) + "\n")
        shop.write("image.ld", "\n".join(script) + "\n")
        for command in ([COMPILER, "-mcpu=cortex-m4", "-mthumb", "-fno-common", "-fdata-sections", "-c", "image.c", "-o", "image.o"],
                        [LINKER, "--gc-sections", "-T", "image.ld", "-e", "0", "image.o", "-o", name]):
            run = subprocess.run(command, cwd=shop.folder, capture_output=True, text=True)
            expect(run.returncode == 0, run.stderr)
        return name


def check(shop, elf, *arguments, soc="apollo510"):
    target = ["--soc", soc] if soc else []
    run = subprocess.run([shop.tool, "check", elf, *target, *arguments], cwd=shop.folder, capture_output=True, text=True)
    return run.returncode, run.stdout, run.stderr


def rows(shop, elf, *arguments):
    """Measured regions by name, and the exit code."""
    code, out, errors = check(shop, elf, "--profile", "sbl", "--format", "json", *arguments)
    expect(out.startswith("{"), errors)
    return {r["region"]: r for r in json.loads(out)["memory_regions"]}, code


# ---- measured ----

def sized_image(given):
    """An image of the given sizes (text, data, bss) with the given sections among them."""
    text, data, bss = given["size"]
    listed = given["sections"]
    data -= sum(size for _, kind, flags, size in listed if kind == "PROGBITS" and "A" in flags)
    bss -= sum(size for _, kind, flags, size in listed if kind == "NOBITS" and "A" in flags)
    image = Image().add(".text", text, MRAM, flags="ax")
    address, load = DTCM, MRAM + 4096
    if data:
        image.add(".data", data, address, load=load)
        address, load = address + (data + 15) // 16 * 16, load + (data + 15) // 16 * 16
    if bss:
        listed = [[".bss", "NOBITS", "WA", bss], *listed]
    for name, kind, flags, size in listed:
        nobits = kind == "NOBITS"
        if "A" not in flags:
            image.add(name, size, 0, flags="", nobits=nobits)
            continue
        image.add(name, size, address, nobits=nobits, load=None if nobits else load)
        address, load = address + (size + 15) // 16 * 16, load if nobits else load + (size + 15) // 16 * 16
    return image


def measured_sizes(case, shop):
    wanted = case["expect"]
    regions, code = rows(shop, sized_image(case["input"]).build(shop))
    found = regions["DTCM"]
    expect(code == 0, f"exit {code}")
    expect(found["bss"] == wanted["bss"] and found["reserved"] == wanted["reserved"], str(found))
    if "total" in wanted:
        total = sum(r["code"] + r["rodata"] + r["data"] + r["bss"] + r["reserved"] for r in regions.values())
        expect(total == wanted["total"], f"total {total}")


def measured_unreadable(shop):
    image = Image().add(".text", 32, MRAM, flags="ax").add(".bss", 260, DTCM, nobits=True).build(shop)
    path = os.path.join(shop.folder, image)
    with open(path, "r+b") as f:
        f.seek(0x20)  # e_shoff: where the section list stands
        f.write(b"\xff\xff\xff\x7f")
    code, out, errors = check(shop, image, "--profile", "sbl")
    expect(code == 2 and out == "" and "error" in errors, f"exit {code}: {out}{errors}")


def measured_rows(case, shop):
    given, wanted = case["input"], case["expect"]
    image = Image()
    if given["region"] == "DTCM":
        image.add(".bss", given["used"], DTCM, nobits=True)
        image.add(".heap", given["reserved"], DTCM + given["used"], nobits=True)
    else:
        image.add(".text", given["used"], MRAM, flags="ax")
    code, out, errors = check(shop, image.build(shop), "--profile", "sbl")
    lines = out.split("\n")
    expect(code == 0 and wanted["row"] in lines, out + errors)
    if "heading" in wanted:
        expect(lines[0] == wanted["heading"], out)


def measured_custom(shop):
    shop.tensors([{"id": "s", "type": "scratch", "size": 1000, "start_op": 0, "end_op": 0}])
    shop.write("placement.yaml", {"model": {"path": "model.yaml"}, "output": {"prefix": "net"},
                                  "target": {"soc": "mine", "custom_socs": {"mine": {"based_on": "apollo510"}}}})
    run = subprocess.run([shop.tool, "plan", "-c", "placement.yaml", "-o", "plan.json", "-q"], cwd=shop.folder, capture_output=True, text=True)
    expect(run.returncode == 0, run.stderr)
    image = Image().add(".bss", 1000, DTCM, nobits=True, symbol="net_arena_scratch_dtcm").build(shop)
    _, out, errors = check(shop, image, "-c", "placement.yaml", "--plan", "plan.json", soc=None)
    expect(out.startswith("Memory (planned):\n") and "(measured)" not in out and "[windows-unverified]" in out, out + errors)


def measured_growth(case, shop):
    """What one more section adds to each memory."""
    given, wanted = case["input"], case["expect"]
    before, _ = rows(shop, Image().add(".text", 64, MRAM, flags="ax").build(shop, "before.elf"))
    nobits = given["LMA"] == "none"
    with_section = Image().add(".text", 64, MRAM, flags="ax")
    with_section.add(given["section"], given["size"], DTCM, nobits=nobits, load=None if nobits else MRAM + 4096)
    after, code = rows(shop, with_section.build(shop))
    expect(code == 0, f"exit {code}")
    for name in ("DTCM", "MRAM"):
        grown = after[name]["used"] - before[name]["used"]
        expect(grown == int(wanted[f"{name}_used"]), f"{name} grows by {grown}")


def measured(case, shop):
    given, wanted = case["input"], case["expect"]
    if case["id"] == "MEA-004":
        measured_unreadable(shop)
    elif "size" in given and "sections" in given:
        measured_sizes(case, shop)
    elif "row" in wanted:
        measured_rows(case, shop)
    elif "table" in wanted:
        measured_custom(shop)
    elif "section" in given:
        measured_growth(case, shop)
    elif "section_address" in given:
        image = Image().add(".bss", 16, int(given["section_address"], 16), nobits=True)
        code, out, _ = check(shop, image.build(shop), "--profile", "sbl")
        expect(code == 1 and "[outside-window]" in out and "outside every window" in out, out)
    else:
        regions, _ = rows(shop, Image().add(".text", 64, MRAM, flags="ax").build(shop))
        for name, (origin, length) in wanted["windows"].items():
            found = regions[name]
            expect(int(found["origin"], 16) == int(origin, 16) and found["capacity"] == length, str(found))


# ---- verify_elf ----

ARENA = "case_arena_scratch_sram"


def planned_image(shop, address, symbol=ARENA):
    """A plan with one arena in apollo4p's SRAM, and an image with `symbol` at `address`."""
    shop.tensors([{"id": "s", "type": "scratch", "size": 16, "start_op": 0, "end_op": 0}])
    shop.write("placement.yaml", {"model": {"path": "model.yaml"}, "target": {"soc": "apollo4p"}, "output": {"prefix": "case"},
                                  "memory": {"tensors": [{"type": "scratch", "attributes": {"memory": "sram"}}]}})
    run = subprocess.run([shop.tool, "plan", "-c", "placement.yaml", "-o", "plan.json", "-q"], cwd=shop.folder, capture_output=True, text=True)
    expect(run.returncode == 0, run.stderr)
    image = Image().add(".bss.arena", 16, address, nobits=True, symbol=symbol).build(shop)
    return check(shop, image, "--plan", "plan.json", soc="apollo4p")


def verify_elf(case, shop):
    given, wanted = case["input"], case["expect"]
    inside = 0x1006D1F0
    if case["id"] == "VER-003":
        code, out, _ = planned_image(shop, inside, symbol="something_else")
        expect(code == 1 and f"[arena-missing] '{ARENA}'" in out, out)
    elif case["id"] == "VER-008":
        code, out, _ = planned_image(shop, inside, symbol=f"_ZL{len(ARENA)}{ARENA}")
        expect(code == 1 and f"[arena-missing] '{ARENA}'" in out, out)
    elif case["id"] == "VER-009":
        code, out, errors = check(shop, "nothing.elf")
        expect(code == 3 and out == "" and "nothing.elf" in errors, f"exit {code}: {errors}")
    else:
        code, out, errors = planned_image(shop, int(given["symbol_address"], 16))
        if wanted.get("ok"):
            expect(code == 0, out + errors)
        else:
            expect(code == 1 and f"'{ARENA}' lies in EXTRAM at {given['symbol_address']}, the plan puts it into SRAM" in out, out)


AREAS = {"measured": measured, "verify_elf": verify_elf, "emulation": None}
