#!/usr/bin/env python3
"""Runs the corpus's cases (cases.yaml) through the tool and compares with what they expect.

usage: run_cases.py TOOL CASES.yaml WORK [--markdown]

A case's input is turned into files (a registry with the case's memories, a tensor list, a config) and the tool's answer is compared with
the case's `expect`. A case that a decision overrules is listed with the decision and what holds instead. A case without a handler fails.
"""
import json
import os
import re
import shutil
import subprocess
import sys

import yaml

import image_cases

LOCATION_REGION = {"tcm": "DTCM", "sram": "SRAM", "mram": "MRAM", "psram": "PSRAM"}
DEFAULT_SIZES = {"MRAM": 4194304, "SRAM": 3145728, "DTCM": 524288, "PSRAM": 67108864}

# Cases that cannot be shown through the tool as written, each with the reason.
OVERRULED = {
    "AUTO-014": "OVR-010: arena_size 0 is refused, so no arena of 0 bytes reaches the policy; the policy itself is held to the case by a unit test",
    "PLN-031": "decision 21: time references belong to the benchmark",
    "PLN-032": "decision 21: time references belong to the benchmark",
    "PLN-021": "a property over random problems: unit test plan.hill_climb",
    "PLN-022": "a property over random problems: unit tests plan.referee, plan.greedy, plan.greedy_by_size, plan.hill_climb",
    "PJS-003": "decision 21: a plan made elsewhere is not an input; capacities are filled from the registry by every plan (PJS-002)",
    "PJS-005": "decision 21: summary.json is the profiler's file; memory_plan.regions is in the plan JSON, memory_regions in the check JSON",
    "EMT-005": "decision 21: model_init, model_run and context_init are the code generator's; hydration and binding are shown by EMT-012",
    "APL-002": "decision 21: the tool makes its plan itself, so none can be absent",
    "APL-004": "decision 22 and REQ-PLC-005: ITCM is for code; a tensor there is an error that says so",
    "APL-008": "decision 22: an unknown memory is an error here",
    "OVF-006": "the case's own note: a region that is not present is an error (region-not-fitted), shown by OVR-009",
    "ALN-009": "decision 3: slots keep their own alignment, the base has the floor of 16 (ALN-001)",
    "SPC-006": "decision 9: an id-only rule comes before a type-only one; the case's newer page agrees",
    "PLN-029": "shown by PLN-005's neighbours: the default planner and its options are compared byte by byte below",
}
RUN_THOUGH_OVERRULED = {"SPC-006", "PLN-029", "APL-004", "APL-008", "ALN-009"}


class Failure(Exception):
    pass


def expect(condition, text):
    if not condition:
        raise Failure(text)


class Workshop:
    """Makes inputs in a folder of the case and runs the tool there."""

    def __init__(self, tool, folder):
        self.tool, self.folder = tool, folder
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)

    def write(self, name, data):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as f:
            f.write(data if isinstance(data, str) else yaml.safe_dump(data, sort_keys=False))
        return name

    def soc(self, name="casechip", sizes=None, banks=None, min_alignment=1, board=False, npu=None, clocks=None):
        """A registry with one SoC of the given memories (or [name, size] banks in preferred order)."""
        sizes = dict(DEFAULT_SIZES) if sizes is None else sizes
        if banks:
            sizes = {"MRAM": 4194304, **{n: s for n, s in banks}}
        regions, windows, origin = [], [], 0x10000000
        for region in ("MRAM", "SRAM", "DTCM", "PSRAM"):
            if not sizes.get(region):
                continue
            tier = {"MRAM": "nvm", "SRAM": "sram", "DTCM": "tcm", "PSRAM": "external"}[region]
            row = {"name": region, "tier": tier, "origin": origin, "length": sizes[region], "source": ["case"],
                   "access": "rx" if region == "MRAM" else "rw"}
            if region == "MRAM":
                row["holds_image"] = True
            if region == "PSRAM":
                row["needs_power"] = True
            if npu and region == "DTCM":
                row["npu_access"] = False
            regions.append(row)
            if region != "PSRAM":
                windows.append({"region": region, "origin": origin, "length": sizes[region], "linker_name": region, "source": ["case"]})
            origin += 0x10000000
        order = [n for n, _ in banks] if banks else [r for r in ("DTCM", "SRAM") if sizes.get(r)]
        stack = order[0] if order else "MRAM"
        soc = {"schema": "helia-placement/soc/1", "soc": name, "vendor": "case", "core": "cortex-m55", "minimum_alignment": min_alignment,
               "memory_order": order, "default_profile": "default", "sources": {"case": {"repository": "cases", "path": "cases.yaml", "commit": "1"}},
               "regions": regions,
               "profiles": [{"name": "default", "verified": True, "code": "MRAM", "data": stack, "stack": stack, "image": "MRAM", "windows": windows}]}
        if npu:
            soc["npu"] = npu
        if clocks:
            soc.update(psram_clocks_hz=clocks, source=["case"])
        self.write(f"registry/case/{name}.yaml", soc)
        if board:
            self.write("registry/case/boards/X.yaml", {"schema": "helia-placement/board/1", "board": "X", "soc": name})
        return name

    def tensors(self, rows, name="model.yaml"):
        return self.write(name, {"tensors": rows})

    def weights(self, size, extra=()):
        rows = [{"id": "w", "type": "constant", "size": size, "start_op": 0, "end_op": 0}] if size else []
        rows += [{"id": "t", "type": "scratch", "size": 16, "start_op": 0, "end_op": 0}, *extra]
        return self.tensors(rows)

    def run(self, config, *arguments):
        self.write("placement.yaml", config)
        command = [self.tool, "plan", "--registry", "registry", "-c", "placement.yaml", "--format", "json", *arguments]
        os.makedirs(os.path.join(self.folder, "registry"), exist_ok=True)
        run = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, timeout=120)
        plan = json.loads(run.stdout) if run.stdout.startswith("{") else None
        return run.returncode, plan, run.stderr


def plain(text):
    """Messages quote keys and values; the cases write them bare."""
    return text.replace("'", "").replace("`", "")


def region(plan, name):
    return next(r for r in plan["memory_plan"]["regions"] if r["region"] == name)


def consumers(plan, name):
    return {c["name"]: c["size"] for c in region(plan, name)["consumers"]}


def holder(plan, consumer):
    for r in plan["memory_plan"]["regions"]:
        if any(c["name"] == consumer for c in r["consumers"]):
            return r["region"]
    return None


def expect_location(plan, consumer, location, what):
    found = holder(plan, consumer)
    expect(found == LOCATION_REGION[location], f"{what} in {found}, expected {LOCATION_REGION[location]}")


def config(model="model.yaml", soc="casechip", engine=None, memory=None, keys=None, target=None, own=None, prefix=None):
    made = {"model": {"path": model, **(keys or {})}, "target": {**({"soc": soc} if soc else {}), **(target or {})}}
    if engine:
        made["engine"] = {"type": engine, **({"config": own} if own else {})}
    if memory is not None:
        made["memory"] = memory
    if prefix:
        made["output"] = {"prefix": prefix}
    return made


# ---- areas ----

def auto_placement(case, shop):
    given, wanted = case["input"], case["expect"]
    sizes = dict(DEFAULT_SIZES)
    registered = {"apollo510": (524288, 3145728), "apollo3p": (65536, 716800)}.get(given["soc"])
    sizes["DTCM"], sizes["SRAM"] = given.get("dtcm", registered and registered[0]), given.get("sram", registered and registered[1])
    shop.soc(sizes=sizes)
    shop.weights(given["weights"])
    code, plan, errors = shop.run(config(engine="tflm", keys={"arena_size": given["arena"]}))
    if wanted.get("error"):
        expect(code == 1 and errors.startswith("Error: Memory plan does not fit:"), f"exit {code}: {errors}")
        expect(wanted.get("region", "SRAM") in errors, errors)
        return
    if wanted.get("never"):
        expect(not region(plan, "PSRAM")["used"], "PSRAM was chosen")
        return
    expect_location(plan, "tensor_arena", wanted["arena"], "arena")
    if given["weights"]:
        expect_location(plan, "model_flatbuffer", wanted["weights"], "weights")
    if case["id"] == "AUTO-OVF-2":
        expect("[slack-not-kept]" in errors, "the dropped slack is not spoken of")


def override(case, shop):
    given, wanted = case["input"], case["expect"]
    sizes = dict(DEFAULT_SIZES)
    target, soc = None, "casechip"
    if given.get("soc") == "no-dtcm part":
        sizes["DTCM"] = 0
    if given.get("soc") == "no-psram part":
        sizes["PSRAM"] = 0
    if given.get("soc") == "atomiq110":
        sizes.update(DTCM=507904)
    if "board" in given:
        target, soc = {"board": "X"}, None
    shop.soc(sizes=sizes, board=True, npu=given.get("npu"))
    keys = {k: given[k] for k in ("arena_location", "weights_location", "arena_size") if k in given}
    if "arena" in given:
        keys["arena_size"] = given["arena"]
    shop.weights(given.get("weights", 2048))
    model = "model.yaml"
    if "npu" in given:
        model = shop.write("npu.yaml", {"tensors": [{"id": "w", "type": "constant", "size": given.get("weights", 2048)}, {"id": "a", "type": "scratch", "size": 16},
                                                    {"id": "b", "type": "scratch", "size": 16}],
                                        "operators": [{"name": "ethos-u", "inputs": ["a", "w"], "outputs": ["b"]}]})
    code, plan, errors = shop.run(config(model=model, soc=soc, engine="tflm", keys=keys, target=target))
    if "error" in wanted or "error_contains" in wanted:
        expect(code == 2, f"exit {code}")
        text = plain(errors)
        if case["id"] == "OVR-007":
            expect(all(w in text for w in ("mram", "tcm, sram, psram")), errors)
        elif case["id"] == "OVR-013":
            expect(all(w in text for w in ("itcm", "tcm, sram, mram, psram")), errors)
        elif case["id"] == "OVR-010":
            expect("arena_size" in text and "[bad-value]" in text, errors)
        else:
            expect(plain(wanted.get("error", wanted.get("error_contains"))) in text, errors)
        return
    if case["id"] == "OVR-011":
        expect(holder(plan, "tensor_arena") == "SRAM", f"arena in {holder(plan, 'tensor_arena')}")
        return
    for key, consumer in (("arena", "tensor_arena"), ("weights", "model_flatbuffer")):
        if key in wanted:
            expect_location(plan, consumer, wanted[key], key)
    for name, listed in wanted.get("consumers", {}).items():
        for consumer in listed:
            expect(consumer in consumers(plan, name), f"{consumer} is not in {name}")


def overflow(case, shop):
    given, wanted = case["input"], case["expect"]
    sizes = dict(DEFAULT_SIZES)
    pairs = given.get("regions") or [[given["region"], given["used"], given.get("capacity", DEFAULT_SIZES[given["region"]])]]
    for name, _, capacity in pairs:
        sizes[name] = capacity
    shop.soc(sizes=sizes)
    shop.tensors([{"id": n, "type": "scratch", "size": used, "start_op": 0, "end_op": 0} for n, used, _ in pairs])
    rules = [{"id": n, "attributes": {"memory": n}} for n, _, _ in pairs]
    code, plan, errors = shop.run(config(memory={"tensors": rules}))
    if "text" in wanted:
        expect(errors.rstrip("\n").split("\n") == wanted["text"], errors)
        expect(code == 1, f"exit {code}")
    if "error_contains" in wanted:
        expect(code == 1 and all(w in errors for w in wanted["error_contains"]) and wanted["hint_contains"] in errors, errors)
    if "free" in wanted:
        found = region(plan, pairs[0][0])
        expect((found["free"], found["overflow"]) == (wanted["free"], wanted["overflow"]), str(found))
    if "lines" in wanted:
        lines = [line for line in errors.split("\n") if " B used > " in line]
        expect([line.split(":")[0].strip() for line in lines] == ["SRAM", "DTCM"], errors)
        expect("Hint: SRAM is over capacity." in errors, errors)


def plan_json(case, shop):
    wanted = case["expect"]
    shop.weights(2048)
    code, plan, errors = shop.run(config(soc="apollo510", engine="tflm", keys={"arena_size": 65536}))
    expect(code == 0, errors)
    regions = plan["memory_plan"]["regions"]
    if "region_order" in wanted:
        expect([r["region"] for r in regions] == wanted["region_order"], str([r["region"] for r in regions]))
    if "unused_regions" in wanted:
        unused = [r for r in regions if not r["used"]]
        expect(unused and all(r["capacity"] > 0 for r in unused), str(regions))
    if "fields" in wanted:
        expect(list(plan["memory_plan"]) == ["engine", "model_weight_bytes", "has_overflow", "regions"], str(list(plan["memory_plan"])))
        expect(list(regions[0]) == ["region", "capacity", "used", "free", "overflow", "consumers"], str(list(regions[0])))
        listed = [c for r in regions for c in r["consumers"]]
        expect(listed and all(list(c) == ["name", "size", "kind"] for c in listed), str(listed))
        expect(all(c["kind"] in wanted["kinds"] for c in listed), str(listed))


def executorch(case, shop):
    given, wanted = case["input"], case["expect"]
    own = {"input_size": given.get("input", 16), "output_size": given.get("output", 16)}
    for key, name in (("planned", "planned_arena_size"), ("method", "method_arena_size"), ("temporary", "temporary_arena_size")):
        if key in given:
            own[name] = given[key]
    for key in ("planned_arena_location", "method_arena_location", "temporary_arena_location", "io_location"):
        if key in given:
            own[key] = given[key]
    keys = {k: given[k] for k in ("arena_location", "weights_location") if k in given}
    with open(os.path.join(shop.folder, "net.pte"), "wb") as f:
        f.write(bytes(5000))
    if "sidecar" in given:
        shop.write("net.manifest.json", json.dumps({"schema": "nsx-executorch.pte-manifest/1", **given["sidecar"]}))
    code, plan, errors = shop.run(config(model="net.pte", soc="apollo510", engine="executorch", keys=keys, own=own))
    if "error" in wanted:
        text = plain(errors)
        expect(code == 2 and "tcm" in text and "sram" in text, errors)
        return
    expect(code == 0, errors)
    for name in ("DTCM", "SRAM", "MRAM"):
        for consumer in wanted.get(name, []):
            expect(consumer in consumers(plan, name), f"{consumer} is not in {name}: {consumers(plan, name)}")
            if isinstance(wanted[name], dict):
                expect(consumers(plan, name)[consumer] == wanted[name][consumer], f"{consumer}: {consumers(plan, name)}")
        if f"{name}_used" in wanted:
            expect(region(plan, name)["used"] == wanted[f"{name}_used"], str(region(plan, name)))
    for key, consumer in (("planned", "planned_arena"), ("method", "method_arena"), ("temporary", "temporary_arena")):
        if key in wanted:
            found = holder(plan, consumer)
            expect(consumers(plan, found)[consumer] == wanted[key], str(consumers(plan, found)))


def binding(plan, tensor):
    return plan["tensor_allocs"][tensor]["binding"]


def expect_rule(plan, tensor, attributes):
    found = binding(plan, tensor)
    if found["role"] == "constant":
        expect(found["source_memory"].lower() == attributes["memory"], f"{tensor}: {found}")
        runtime = attributes.get("constant_destination_memory", attributes["memory"])
        expect(found["memory"].lower() == runtime, f"{tensor}: {found}")
    else:
        expect(found["memory"].lower() == attributes["memory"], f"{tensor}: {found}")


def aot_ruleset(case, shop):
    given, wanted = case["input"], case["expect"]
    board = given.get("board", "apollo510_evb")
    board = "apollo510_evb" if board == "any" else board
    shop.tensors([{"id": "s", "type": "scratch", "size": 64, "start_op": 0, "end_op": 0}, {"id": "conv1_out", "type": "scratch", "size": 64, "start_op": 0, "end_op": 0},
                  {"id": "p", "type": "persistent", "size": 64, "start_op": 0, "end_op": 0}, {"id": "w", "type": "constant", "size": 64, "start_op": 0, "end_op": 0}])
    keys = {k: given[k] for k in ("arena_location", "weights_location") if k in given}
    if given.get("coarse"):
        keys = {"arena_location": "tcm", "weights_location": "sram"}
    memory = {"allocate_arenas": False} if given.get("weights_location") == "psram" else {}
    if "user" in given:
        memory["tensors"] = given["user"]
    own = {"aot_args": given["aot_args"]} if "aot_args" in given else None
    code, plan, errors = shop.run(config(soc=None, engine="helia-aot", target={"board": board}, keys=keys, memory=memory or None, own=own))
    if "error_contains" in wanted:
        expect(code == 2 and wanted["error_contains"] in plain(errors), errors)
        return
    expect(code == 0, errors)
    for kind, tensor in (("scratch", "s"), ("persistent", "p"), ("constant", "w")):
        if kind in wanted:
            expect_rule(plan, tensor, wanted[kind])
    if "scratch_default" in wanted:
        expect_rule(plan, "s", {"memory": wanted["scratch_default"]})
        expect_rule(plan, "conv1_out", {"memory": wanted["conv1_out"]})


def rule_match(case, shop):
    given, wanted = case["input"], case["expect"]
    kinds = {"t": "scratch", "w": "constant"}
    names = given.get("tensors") or [given.get("tensor", {}).get("id", "t1")]
    if case["id"] in ("SPC-012", "SPC-013"):
        names = ["w0", "w1"]
    if case["id"] in ("SPC-010", "SPC-014"):
        names = ["w0"]
    shop.tensors([{"id": n, "type": kinds[n[0]], "size": 64, "start_op": 0, "end_op": 0} for n in names])
    memory = {"tensors": given["rules"]}
    if "psram" in str(given["rules"]):
        memory["allocate_arenas"] = False
    code, plan, errors = shop.run(config(soc="apollo510", memory=memory))
    if "error" in wanted:
        words = {"SPC-010": ["writable"], "SPC-011": ["writable memory"], "SPC-012": ["DTCM", "MRAM", "PSRAM"], "SPC-013": ["DTCM"], "SPC-015": ["unknown memory"]}
        expect(code == 2 and all(w in errors for w in words[case["id"]]), errors)
        return
    expect(code == 0, errors)
    if case["id"] == "SPC-006":
        expect_rule(plan, "w0", {"memory": "sram"})
    elif case["id"] == "SPC-005":
        for name, memory_name in (("t1", "sram"), ("t2", "dtcm"), ("t3", "sram")):
            expect_rule(plan, name, {"memory": memory_name})
    elif "cold" in wanted:
        arena = next(iter(plan["constant_arenas"].values()))
        expect(not arena["is_staged"], str(arena))
    else:
        expect_rule(plan, names[0], wanted)


def planner(case, shop):
    given, wanted = case["input"], case["expect"]
    alignment = given.get("min_alignment", 1)
    if case["id"] == "PLN-029":
        return planner_default(shop)
    if case["id"] in ("PLN-035", "PLN-036"):
        return planner_alias(case, shop)
    banks = given.get("banks", [["DTCM", 65536]])
    shop.soc(banks=banks, min_alignment=alignment)
    rows = []
    if isinstance(given.get("tensors"), list):
        rows = [{"id": t["id"], "type": "scratch", "size": t["size"], "start_op": t["start"], "end_op": t["end"]} for t in given["tensors"]]
    rows += [{"id": n, "type": "persistent", "size": s, "start_op": 0, "end_op": 0} for n, s in given.get("persistent", [])]
    rows += [{"id": n, "type": "constant", "size": s, "start_op": 0, "end_op": 0} for n, s in given.get("constant", [])]
    rows = rows or [{"id": "only", "type": "scratch", "size": 64, "start_op": 0, "end_op": 0}]
    shop.tensors(rows)
    memory = {}
    if given.get("planner") not in (None, "any"):
        memory["planner"] = given["planner"]
    if "options" in given:
        memory["planner_options"] = given["options"]
    if "constraint" in given:
        memory["constraints"] = [given["constraint"]]
    code, plan, errors = shop.run(config(memory=memory or None))
    if "error" in wanted:
        words = {"PLN-010": (1, "does not fit"), "PLN-011": (1, "does not fit"), "PLN-024": (2, "iteration"), "PLN-026": (2, "max_stall_iterations"),
                 "PLN-027": (2, "must be a mapping"), "PLN-028": (2, "greedy, greedy_by_size, hill_climb")}
        want_code, word = words[case["id"]]
        expect(code == want_code and word in plain(errors), f"exit {code}: {errors}")
        return
    expect(code == 0, errors)
    allocs = plan["tensor_allocs"]
    for tensor, offset in wanted.get("offsets", {}).items():
        expect(allocs[tensor]["offset"] == offset, f"{tensor} at {allocs[tensor]['offset']}, expected {offset}")
    for tensor, memory_name in wanted.get("memory", {}).items():
        expect(allocs[tensor]["memory"] == memory_name, f"{tensor} in {allocs[tensor]['memory']}")
    arenas = plan["arena_usages"]
    for name in ("DTCM", "SRAM"):
        if name in wanted:
            expect(arenas[name]["used"] == wanted[name], f"{name}: {arenas[name]['used']}, expected {wanted[name]}")
    if "high_water" in wanted:
        expect(arenas["DTCM"]["used"] == wanted["high_water"], str(arenas))
    if "DTCM_at_most" in wanted:
        expect(arenas["DTCM"]["used"] == wanted["DTCM_optimum"], f"{arenas['DTCM']['used']}")
    if "kept" in wanted:
        expect(plan["planner"]["kept"] == wanted["kept"].split(" ")[0], plan["planner"]["kept"])
    if "attempts_at_most" in wanted:
        expect(plan["planner"]["attempts"] <= wanted["attempts_at_most"], str(plan["planner"]))
    if "used" in wanted:
        arena = (list(plan["persistent_arenas"].values()) + list(plan["constant_arenas"].values()))[0]
        expect(arena["used"] == wanted["used"] and arena["total_size"] == wanted.get("total_size", wanted["used"]), str(arena))


def planner_default(shop):
    shop.tensors([{"id": n, "type": "scratch", "size": s, "start_op": a, "end_op": b} for n, s, a, b in (("A", 1024, 0, 1), ("B", 2048, 1, 2), ("C", 2048, 2, 3))])
    _, silent, _ = shop.run(config(soc="apollo510"))
    _, spelled, _ = shop.run(config(soc="apollo510", memory={"planner": "hill_climb", "planner_options": {"iterations": 300, "seed": 0, "max_stall_iterations": 50}}))
    expect(silent["planner"]["name"] == "hill_climb" and silent == spelled, "the defaults differ from what spells them out")


def planner_alias(case, shop):
    """The view is a RESHAPE; the steps between are other operators."""
    chain = {"PLN-035": (["A", "B"], 2, [0, 4]), "PLN-036": (["A", "B", "C"], 1, [0, 6])}[case["id"]]
    names, _, lifetime = chain
    rows = [{"id": n, "type": "scratch", "size": 64} for n in names + ["x", "y"]]
    if case["id"] == "PLN-035":
        operators = [("FIRST", [], ["A"]), ("OTHER", ["A"], ["x"]), ("RESHAPE", ["A"], ["B"]), ("OTHER", ["x"], ["y"]), ("LAST", ["B"], [])]
    else:
        operators = [("FIRST", [], ["A"]), ("RESHAPE", ["A"], ["B"]), ("OTHER", ["B"], ["x"]), ("OTHER", [], ["y"]), ("OTHER", ["y"], []), ("RESHAPE", ["B"], ["C"]),
                     ("LAST", ["C"], [])]
    shop.write("model.yaml", {"tensors": rows, "operators": [{"name": n, "inputs": i, "outputs": o} for n, i, o in operators]})
    code, plan, errors = shop.run(config(soc="apollo510"))
    expect(code == 0, errors)
    for name in names:
        life = plan["tensor_lifetimes"][name]
        expect([life["start_op"], life["end_op"]] == lifetime, f"{name}: {life}")
        expect(plan["tensor_allocs"][name]["offset"] == plan["tensor_allocs"]["A"]["offset"], f"{name} has another offset")


def alignment(case, shop):
    given, wanted = case["input"], case["expect"]
    name = given.get("memory", "DTCM")
    shop.soc(min_alignment=given["min_alignment"])
    hint = {"alignment": given["hint"]} if "hint" in given else {}
    shop.tensors([{"id": n, "type": "scratch", "size": 10, "start_op": 0, "end_op": 0, **hint} for n in ("a", "b")])
    memory = {"planner": "greedy", "allocate_arenas": False, "tensors": [{"type": "scratch", "attributes": {"memory": name}}]}
    if given.get("arena_alignment"):
        memory["constraints"] = [{"name": name, "arena_alignment": given["arena_alignment"]}]
    code, plan, errors = shop.run(config(memory=memory))
    expect(code == 0, errors)
    arena, second = plan["arena_usages"][name], plan["tensor_allocs"]["b"]["offset"]
    base = {"ALN-001": 16, "ALN-004": 64, "ALN-006": 32, "ALN-007": 32, "ALN-009": 16}[case["id"]]
    offset = {"ALN-001": 12, "ALN-004": 64, "ALN-006": 32, "ALN-007": 32, "ALN-009": 12}[case["id"]]
    if name == "PSRAM":
        expect(arena["alignment"] >= base, str(arena))
    else:
        expect(arena["alignment"] == base, str(arena))
    expect(second == offset, f"second slot at {second}, expected {offset}")


def aot_plan(case, shop):
    given, wanted = case["input"], case["expect"]
    if case["id"] == "APL-001":
        shop.tensors([{"id": "s", "type": "scratch", "size": 16492, "start_op": 0, "end_op": 0}, {"id": "w", "type": "constant", "size": 28976, "start_op": 0, "end_op": 0}])
        code, plan, errors = shop.run(config(soc="apollo510", memory={"tensors": [{"type": "constant", "attributes": {"memory": "mram", "constant_destination_memory": "dtcm"}}]}))
        expect(code == 0, errors)
        found = consumers(plan, "DTCM")
        padding = found.pop("alignment_padding", 0)
        expect(found == wanted["DTCM_consumers"], str(found))
        expect(region(plan, "DTCM")["used"] - padding == wanted["DTCM"], str(region(plan, "DTCM")))
        expect(region(plan, "MRAM")["used"] == wanted["MRAM"], str(region(plan, "MRAM")))
        expect(plan["memory_plan"]["model_weight_bytes"] == wanted["model_weight_bytes"], "model_weight_bytes")
        return
    kind = "constant" if given["memory"] == "MRAM" else "scratch"
    shop.tensors([{"id": "t", "type": kind, "size": 64, "start_op": 0, "end_op": 0}])
    code, plan, errors = shop.run(config(soc="apollo510", memory={"tensors": [{"id": "t", "attributes": {"memory": given["memory"]}}]}))
    if case["id"] == "APL-008":
        expect(code == 2 and "[unknown-memory]" in errors, errors)
    elif case["id"] == "APL-004":
        expect(code == 2 and "[memory-for-code]" in errors, errors)
    else:
        expect(code == 0 and LOCATION_REGION[wanted["placement"]] == plan["tensor_allocs"]["t"]["memory"], errors)


def psram(case, shop):
    given, wanted = case["input"], case["expect"]
    keys = {k: given[k] for k in ("arena_location", "weights_location") if k in given}
    target = {"transport": given["transport"]} if "transport" in given else {}
    if isinstance(given.get("psram"), dict):
        target["psram"] = given["psram"]
    engine = given.get("engine", "helia-aot")
    if case["id"] == "PSR-010":
        shop.weights(1000001)
        code, plan, errors = shop.run(config(soc="apollo510", engine="tflm", keys={"arena_size": 4096, "arena_location": "psram", "weights_location": "psram"}))
        expect(code == 0, errors)
        found = consumers(plan, "PSRAM")
        before = found["model_flatbuffer"] + found.get("alignment_padding", 0)
        expect(before == wanted["arena_offset"], str(found))
        return
    memory = {"allocate_arenas": given["allocate_arenas"]} if isinstance(given.get("allocate_arenas"), bool) else None
    if given.get("board"):
        target["board"] = given["board"]
    shop.weights(2048)
    own = {"input_size": 16, "output_size": 16} if engine == "executorch" else None
    code, plan, errors = shop.run(config(soc=None if given.get("board") else "apollo510", engine=engine, keys=keys, target=target, memory=memory, own=own))
    if "error" in wanted or "error_contains" in wanted:
        words = {"PSR-003": "PSRAM placement requires engine.config.aot_args.memory.allocate_arenas: false", "PSR-005": "allocate_arenas: false",
                 "PSR-006": "does not yet support PSRAM", "PSR-009": "100000000"}
        expect(code == 2 and words[case["id"]] in plain(errors), errors)
        if case["id"] == "PSR-009":
            for clock in (12, 24, 48, 96, 125, 192, 250):
                expect(f"{clock}000000" in errors, errors)
        return
    expect(code == 0, errors)


def registry(case, shop):
    given, wanted = case["input"], case["expect"]
    shop.weights(64)

    def show(name):
        run = subprocess.run([shop.tool, "soc", "show", name, "--format", "json"], capture_output=True, text=True)
        expect(run.returncode == 0, run.stderr)
        return json.loads(run.stdout)

    if case["id"] == "REG-002":
        sizes = {r["name"].lower() + "_kb": r["length"] // 1024 for r in show("apollo510")["regions"]}
        expect(all(sizes[k] == v for k, v in wanted.items()), str(sizes))
    elif case["id"] == "REG-005":
        for name, address in zip(given["app_flash"][:-1], wanted["addr"][:-1]):
            soc = show(name)
            profile = next(p for p in soc["profiles"] if p["name"] == soc["default_profile"])
            window = next(w for w in profile["windows"] if w["region"] == profile["code"])
            expect(int(window["origin"], 16) == int(address, 16), f"{name}: {window}")
    elif case["id"] == "REG-007":
        code, _, errors = shop.run(config(soc="mine", target={"custom_socs": {"mine": {"based_on": "apollo510", "region": 256}}}))
        expect(code == 2 and all(w in plain(errors) for w in wanted["error_contains"]), errors)
    else:
        value = given["app_flash_load_addr"]
        for address in value if isinstance(value, list) else [value]:
            window = {"region": "MRAM", "origin": address, "length": "64K", "linker_name": "MCU_MRAM"}
            custom = {"mine": {"based_on": "apollo510", "profiles": [{"name": "sbl", "windows": [window]}]}}
            code, _, errors = shop.run(config(soc="mine", target={"custom_socs": custom}))
            if "ok" in wanted:
                expect("32 bits" not in errors and "[bad-value]" not in errors and "[wrong-kind]" not in errors, errors)
            else:
                words = {"REG-008": "does not fit in 32 bits (max 0xFFFFFFFF)"}
                expect(code == 2 and words.get(case["id"], "origin") in plain(errors), errors)


def header(shop, soc, memory=None, prefix="hpx", native=False, profile=None):
    shop.write("placement.yaml", config(soc=soc, memory=memory, prefix=prefix))
    command = [shop.tool, "generate", "-c", "placement.yaml", "-d", "out", *(["--sections", "native"] if native else []), *(["--profile", profile] if profile else [])]
    run = subprocess.run(command, cwd=shop.folder, capture_output=True, text=True)
    expect(run.returncode == 0, run.stderr)
    with open(os.path.join(shop.folder, "out", f"{prefix}_arenas.h")) as h, open(os.path.join(shop.folder, "out", f"{prefix}_arenas.c")) as c:
        return h.read(), c.read()


def macro(text, name):
    match = re.search(rf"#define {name}(?:[ \t]+(.*))?$", text, re.M)
    expect(match is not None, f"no macro {name}")
    return (match[1] or "").strip()


def emit(case, shop):
    given, wanted = case["input"], case["expect"]
    everything = [{"id": "s", "type": "scratch", "size": 20960, "start_op": 0, "end_op": 0}, {"id": "u", "type": "scratch", "size": 64, "start_op": 0, "end_op": 0},
                  {"id": "p", "type": "persistent", "size": 64, "start_op": 0, "end_op": 0}, {"id": "w", "type": "constant", "size": 64, "start_op": 0, "end_op": 0}]
    if case["id"] in ("EMT-001", "EMT-010"):
        shop.tensors(everything)
        h, c = header(shop, "apollo510", {"tensors": [{"id": "u", "attributes": {"memory": "sram"}}, {"id": "s", "attributes": {"memory": "dtcm"}}]})
        if case["id"] == "EMT-001":
            for role, name, number in wanted["region_id"]:
                expect(re.search(rf"HPX_ARENA_{role.upper()}_{name} = {number}\b", h), f"id of {role} {name}")
        else:
            expect("hpx_arena_scratch_dtcm[" in c and "HPX_ARENA_SCRATCH_DTCM_SIZE 20960" in h, "the buffer")
            expect(not re.search(r"hpx_arena_scratch_dtcm\[[^\]]*\]\s*=", c), "the buffer is initialised")
        return
    shop.tensors(everything)
    if case["id"] == "EMT-012":
        shop.tensors([{"id": "s", "type": "scratch", "size": 16492, "start_op": 0, "end_op": 0}, {"id": "w", "type": "constant", "size": 28976, "start_op": 0, "end_op": 0}])
        rules = [{"type": "constant", "attributes": {"memory": "mram", "constant_destination_memory": "sram"}}]
        h, _ = header(shop, "apollo510", {"allocate_arenas": False, "tensors": rules, "constraints": [{"name": "SRAM", "arena_alignment": 64}]})
        for name, size, base in (("SCRATCH_DTCM", 16492, 16), ("CONSTANT_SRAM", 28976, 64)):
            expect(macro(h, f"HPX_ARENA_{name}_SIZE") .rstrip("u") == str(size) and macro(h, f"HPX_ARENA_{name}_ALIGNMENT").rstrip("u") == str(base), name)
        expect("hpx_bind_arena(" in h, "no bind function")
        return
    prefix = given.get("to_qualifiers", {}).get("prefix", "hpx").lower()
    soc = given.get("soc", "apollo510")
    h, _ = header(shop, soc, prefix=prefix, native="soc" in given)
    upper = prefix.upper()
    if case["id"] == "EMT-002":
        expect(macro(h, wanted["macro"]) != "", wanted["macro"])
    elif case["id"] == "EMT-003":
        for name, result in zip(given["init_const_qualifier"], wanted["result"]):
            expect(macro(h, f"{upper}_{name}_INIT_QUALIFIER") == result.strip(), name)
    elif case["id"] == "EMT-004":
        for suffix in wanted["contains"]:
            macro(h, f"{upper}_{suffix}")
    else:
        native_names(h, upper, soc)


def native_names(h, upper, soc):
    wanted = {
        "apollo510": {"DTCM": "", "DTCM_INIT": "", "SRAM": ".sram_bss", "SRAM_INIT": ".shared", "ITCM_CODE": ".itcm_text"},
        "apollo330P": {"SRAM": ".sram_bss", "SRAM_INIT": ".shared"},
        "apollo4p": {"DTCM": "", "SRAM": ".sram_bss", "SRAM_INIT": ".shared"},
        "apollo3p": {"DTCM": ".tcm_bss", "DTCM_INIT": ".tcm", "SRAM": "", "SRAM_INIT": ""},
    }[soc]
    for suffix, section in wanted.items():
        body = macro(h, f"{upper}_PUT_IN_{suffix}")
        expect((f'"{section}"' in body) if section else ("section" not in body.lower() and "ERROR" not in body), f"{suffix}: {body}")


AREAS = {f.__name__: f for f in (auto_placement, override, overflow, plan_json, executorch, aot_ruleset, rule_match, planner, alignment, emit, aot_plan, psram, registry)}
AREAS.update(image_cases.AREAS)
OVERRULED.update(image_cases.OVERRULED)
RUN_THOUGH_OVERRULED.update(image_cases.RUN_THOUGH_OVERRULED)


def main():
    tool, cases_path, work = sys.argv[1:4]
    tool = os.path.abspath(tool)
    counts = {"passed": 0, "failed": 0, "overruled": 0}
    for case in yaml.safe_load(open(cases_path))["cases"]:
        if case["area"] not in AREAS:
            raise SystemExit(f"{case['id']}: nobody knows the area {case['area']}")
        area = AREAS[case["area"]]
        reason = OVERRULED.get(case["id"])
        if reason and case["id"] not in RUN_THOUGH_OVERRULED:
            counts["overruled"] += 1
            print(f"{case['id']}: overruled: {reason}")
            continue
        if case["area"] in image_cases.AREAS and not image_cases.can_build():
            print(f"{case['id']}: left out: {image_cases.COMPILER} is not installed")
            continue
        try:
            area(case, Workshop(tool, os.path.join(work, case["id"])))
            counts["passed"] += 1
            print(f"{case['id']}: passed" + (f" ({reason})" if reason else ""))
        except (Failure, KeyError, StopIteration, TypeError, AttributeError, IndexError, AssertionError) as failure:
            counts["failed"] += 1
            print(f"{case['id']}: FAILED: {type(failure).__name__}: {failure}")
    print(f"{counts['passed']} passed, {counts['failed']} failed, {counts['overruled']} overruled")
    return 1 if counts["failed"] or counts["passed"] < 100 else 0


if __name__ == "__main__":
    sys.exit(main())
