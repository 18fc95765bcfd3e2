"""Compares what flatc and what helia-placement read from one .tflite file: model_oracle.py FLATC.json OURS.json FILE.tflite

Sizes, roles and lifetimes are computed here anew from flatc's view, by the rules of docs/formats.md for models whose called
subgraphs are called from one operator of the main subgraph.
"""
import json
import sys

BITS = {"FLOAT32": 32, "FLOAT16": 16, "INT32": 32, "UINT8": 8, "INT64": 64, "BOOL": 8, "INT16": 16, "INT8": 8, "INT4": 4}
CALLEES = ("then_subgraph_index", "else_subgraph_index", "cond_subgraph_index", "body_subgraph_index", "init_subgraph_index")


def tensor_id(subgraph, index):
    return None if index == -1 else str(index) if subgraph == 0 else f"{subgraph}:{index}"


def shape_bytes(tensor):
    elements = 1
    for dimension in tensor.get("shape", []):
        elements *= dimension
    return (elements * BITS[tensor["type"]] + 7) // 8


def steps_of_subgraphs(model):
    """The main operator during which each called subgraph runs."""
    steps = {}
    waiting = [(0, None)]
    while waiting:
        subgraph, step = waiting.pop()
        for index, operator in enumerate(model["subgraphs"][subgraph]["operators"]):
            here = index if subgraph == 0 else step
            for key in CALLEES:
                callee = operator.get("builtin_options", {}).get(key)
                if callee is not None:
                    assert steps.setdefault(callee, here) == here, "called from two operators"
                    waiting.append((callee, here))
    return steps


def lifetimes(model):
    lives = {}

    def use(subgraph, indices, step):
        for index in indices:
            if index != -1:
                first, last = lives.get((subgraph, index), (step, step))
                lives[subgraph, index] = min(first, step), max(last, step)

    steps = steps_of_subgraphs(model)
    for number, subgraph in enumerate(model["subgraphs"]):
        if number != 0 and number not in steps:
            continue
        for index, operator in enumerate(subgraph["operators"]):
            step = steps.get(number, index)
            use(number, operator.get("inputs", []), step)
            use(number, operator.get("outputs", []), step)
        use(number, subgraph.get("inputs", []), steps.get(number, 0))
        use(number, subgraph.get("outputs", []), steps.get(number, len(model["subgraphs"][0]["operators"]) - 1))
    return lives


def variables(model):
    """Handles by variable, and the size of each."""
    handles, sizes = {}, {}
    for number, subgraph in enumerate(model["subgraphs"]):
        for operator in subgraph["operators"]:
            options = operator.get("builtin_options", {})
            if "shared_name" in options:
                handles[number, operator["outputs"][0]] = options["container"], options["shared_name"]
    for number, subgraph in enumerate(model["subgraphs"]):
        for operator in subgraph["operators"]:
            code = model["operator_codes"][operator["opcode_index"]]["builtin_code"]
            if code in ("READ_VARIABLE", "ASSIGN_VARIABLE"):
                value = operator["outputs"][0] if code == "READ_VARIABLE" else operator["inputs"][1]
                variable = handles[number, operator["inputs"][0]]
                size = shape_bytes(subgraph["tensors"][value])
                assert sizes.setdefault(variable, size) == size
    return handles, sizes


def expected_tensors(model):
    lives = lifetimes(model)
    handles, sizes = variables(model)
    storage = {}
    for number, subgraph in enumerate(model["subgraphs"]):
        for index, tensor in enumerate(subgraph["tensors"]):
            key = number, index
            data = model["buffers"][tensor["buffer"]].get("data", [])
            role = "persistent" if tensor["is_variable"] or key in handles else "constant" if data else "scratch"
            first_handle = storage.setdefault(handles[key], key) if key in handles else None
            is_live = key in lives and first_handle in (None, key)
            expected = {
                "id": tensor_id(number, index),
                "name": tensor["name"],
                "subgraph": number,
                "type": tensor["type"].lower(),
                "shape": tensor.get("shape", []),
                "role": role,
                "is_live": is_live,
                "is_dynamic": -1 in tensor.get("shape_signature", []),
                "is_input": number == 0 and index in subgraph.get("inputs", []),
                "is_output": number == 0 and index in subgraph.get("outputs", []),
                "variable": tensor_id(*first_handle) if first_handle else None,
            }
            if key in handles:
                expected["size"] = sizes[handles[key]] if is_live else 0
            else:
                expected["size"] = len(data) if role == "constant" else shape_bytes(tensor)
                expected["start_op"], expected["end_op"] = lives.get(key, (None, None))
            if role == "constant":
                expected["buffer"] = tensor["buffer"]
                expected["bytes"] = bytes(data)
            yield expected


def expected_operators(model):
    steps = steps_of_subgraphs(model)
    for number, subgraph in enumerate(model["subgraphs"]):
        if number != 0 and number not in steps:
            continue
        for index, operator in enumerate(subgraph["operators"]):
            code = model["operator_codes"][operator["opcode_index"]]
            yield {
                "index": index,
                "subgraph": number,
                "step": steps.get(number, index),
                "name": code["custom_code"] if code["builtin_code"] == "CUSTOM" else code["builtin_code"],
                "inputs": [tensor_id(number, i) for i in operator.get("inputs", [])],
                "outputs": [tensor_id(number, i) for i in operator.get("outputs", [])],
            }


def main():
    with open(sys.argv[1], encoding="utf-8") as flatc, open(sys.argv[2], encoding="utf-8") as ours:
        model, seen = json.load(flatc), json.load(ours)
    with open(sys.argv[3], "rb") as file:
        content = file.read()
    differences = 0
    for what, expected_list in (("tensors", list(expected_tensors(model))), ("operators", list(expected_operators(model)))):
        if len(expected_list) != len(seen[what]):
            print(f"{len(seen[what])} {what}, expected {len(expected_list)}")
            differences += 1
        for expected, got in zip(expected_list, seen[what]):
            if "data_offset" in got:
                got["bytes"] = content[got["data_offset"]:got["data_offset"] + got["data_size"]]
            for key, value in expected.items():
                if got.get(key) != value:
                    print(f"{what} {got.get('id', got.get('index'))}: {key} is {got.get(key)!r}, expected {value!r}"[:300])
                    differences += 1
    return 1 if differences else 0


sys.exit(main())
