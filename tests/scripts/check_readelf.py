"""What readelf -lSW and size -A say of an image, region by region, against what the tool says.

usage: check_readelf.py READELF_TEXT SIZE_TEXT TOOL_JSON

Reckons on its own from the two texts: run bytes of allocated sections at their addresses, load bytes of those that a LOAD segment
holds in the file, and what the two cover together in each of the tool's windows, byte by byte."""
import json
import re
import sys


def read_headers(text):
    sections, segments = [], []
    for line in text.splitlines():
        section = re.match(r"\s*\[\s*\d+\]\s+(\S+)\s+(\S+)\s+([0-9a-f]{8})\s([0-9a-f]{6})\s([0-9a-f]{6})\s\S+\s+([A-Zp]*)", line)
        if section:
            name, kind, address, offset, size, flags = section.groups()
            sections.append((name, kind, int(address, 16), int(offset, 16), int(size, 16), flags))
        segment = re.match(r"\s*LOAD\s+(0x\S+)\s+(0x\S+)\s+(0x\S+)\s+(0x\S+)\s+(0x\S+)", line)
        if segment:
            segments.append(tuple(int(number, 16) for number in segment.groups()))
    return sections, segments


def load_address(section, segments):
    _, kind, address, offset, size, _ = section
    if kind == "NOBITS":
        return None
    for start, virtual, physical, in_file, _ in segments:
        if start <= offset and offset + size <= start + in_file and offset - start == address - virtual:
            return physical + offset - start
    return None


def main():
    sections, segments = read_headers(open(sys.argv[1]).read())
    report = json.load(open(sys.argv[3]))
    allocated = [s for s in sections if "A" in s[5] and s[4] != 0]
    wrong = 0

    sizes = dict(re.findall(r"^(\S+)\s+(\d+)\s+\d+$", open(sys.argv[2]).read(), re.M))
    for name, _, _, _, size, _ in allocated:
        if int(sizes.get(name, -1)) != size:
            print(f"{name}: readelf says {size}, size says {sizes.get(name)}")
            wrong += 1

    for region in report["memory_regions"]:
        low = int(region["origin"], 16)
        high = low + region["capacity"]
        used, reserved, loaded = set(), set(), set()
        for section in allocated:
            name, kind, address, _, size, _ = section
            heap = kind == "NOBITS" and "heap" in re.split(r"[._]", name)
            (reserved if heap else used).update(range(max(low, address), min(high, address + size)))
            load = load_address(section, segments)
            if load is not None:
                loaded.update(range(max(low, load), min(high, load + size)))
        used |= loaded
        wanted = {"used": len(used), "reserved": len(reserved - used), "load_image": len(loaded),
                  "free": region["capacity"] - len(used)}
        for key, value in wanted.items():
            if region[key] != value:
                print(f"{region['region']}: {key} is {region[key]}, readelf's headers give {value}")
                wrong += 1
    print(f"{len(allocated)} sections, {len(segments)} segments, {len(report['memory_regions'])} regions compared")
    if len(allocated) < 5 or not segments:
        print("too little was compared")
        wrong += 1
    return wrong != 0


sys.exit(main())
