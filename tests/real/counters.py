"""Read counter files by themselves, and hold what pipeglass says of them against it."""

import math
import re
import sys
from collections import OrderedDict

from check import ask, close, fail, finish, same

BINS = (1, 7, 100)


def number(text):
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def read_perf(text):
    """(component, name) -> [(start, end, value)] in ns, all of them counts."""
    metrics, start, end = OrderedDict(), 0, 0
    for line in text.splitlines():
        fields = line.strip().split(",")
        if len(fields) < 5 or line.startswith("#"):
            continue
        place = fields.pop(1) if not re.match(r"[0-9<]", fields[1]) else ""
        at, value, event = round(float(fields[0]) * 1e9), number(fields[1]), fields[3]
        if at > end:
            start, end = end, at
        if value is not None:
            metrics.setdefault((place, event), []).append((start, end, value))
    return metrics, 1e9, set(metrics)


def is_gauge(name, unit):
    return "/" in unit or unit in ("Ratio", "Watt", "Volt") or name == "clock"


def read_gem5(text):
    """The same of the one section; its time is that of the simulation."""
    values, units = OrderedDict(), {}
    for line in text.splitlines():
        match = re.match(r"(\S+)\s+(\S+)(.*)", line)
        if not match or line.startswith("-") or "|" in line.split("#")[0]:
            continue
        value = number(match[2])
        if value is not None:
            name = match[1]
            dot = name.split("::")[0].rfind(".")
            key = (name[:dot] if dot > 0 else "", name[dot + 1 :])
            values[key] = value
            unit = re.search(r" \(+([^()]*)\)+$", match[3])
            units[key] = unit[1] if unit else ""
    end = int(values["", "finalTick"])
    start = end - int(values["", "simTicks"])
    counts = {key for key in values if not is_gauge(key[1], units[key])}
    return OrderedDict((k, [(start, end, v)]) for k, v in values.items()), values["", "simFreq"], counts


def overlap(samples, low, high):
    """What was summed up in [low, high), and for how long there was a value."""
    total = ticks = 0.0
    for start, end, value in samples:
        part = min(end, high) - max(start, low)
        if part > 0:
            total += value * part / (end - start)
            ticks += part
    return total, ticks


def rates(metrics, name, component, second, low, high, bins):
    """A second, summed over the components that match."""
    chosen = [s for (c, n), s in metrics.items() if n == name and re.search(component, c)]
    width, values = (high - low) / bins, []
    for i in range(bins):
        sums = [overlap(s, low + i * width, low + (i + 1) * width) for s in chosen]
        sums = [total / ticks for total, ticks in sums if ticks > 0]
        values.append(sum(sums) * second if sums else None)
    return values


def ratio(metrics, over, under, factor, low, high, bins):
    """Of the sums in each bin; over and under are keys."""
    width, values = (high - low) / bins, []
    for i in range(bins):
        at = (low + i * width, low + (i + 1) * width)
        a, b = (sum(overlap(metrics[k], *at)[0] for k in keys) for keys in (over, under))
        values.append(factor * a / b if b else None)
    return values


def mean(key, metrics):
    """As it is told: an ipc of the file is rounded, that of the sums is not."""
    over, under = metrics.get((key[0] + ".commitStats0", "numInsts")), metrics.get((key[0], "numCycles"))
    if key[1] == "ipc" and over and under:
        return sum(v for _, _, v in over) / sum(v for _, _, v in under)
    return sum(v for _, _, v in metrics[key]) / len(metrics[key])


def check_info(path, metrics):
    info = ask("info", path)
    got = {(m["component"] or "", m["name"]): m for m in info["metrics"]}
    same(f"{path}: names of metrics", sorted(got), sorted(metrics))
    for key, samples in metrics.items():
        values = [value for _, _, value in samples]
        m = got.get(key, {})
        close(f"{path}: {key}", [m.get("samples"), m.get("min"), m.get("max"), m.get("mean")],
              [len(values), min(values), max(values), mean(key, metrics)])
    same(f"{path}: first and last", [info["first"], info["last"]],
         [min(s[0][0] for s in metrics.values()), max(s[-1][1] for s in metrics.values()) - 1])
    same(f"{path}: warnings", info["warning_count"], 0)
    return info["first"], info["last"] + 1


def check_series(path, metrics, second, counts, low, high):
    names = list(OrderedDict.fromkeys(name for component, name in metrics if (component, name) in counts))
    components = list(OrderedDict.fromkeys(component for component, _ in metrics))
    for name in names[:: max(1, len(names) // 12)]:
        if any((c, name) not in counts for c in components if (c, name) in metrics):
            continue
        for bins in BINS:
            got = ask("series", "--metric", name, "--bins", str(bins), path)
            close(f"{path}: {name} in {bins}", got["values"],
                  rates(metrics, name, "", second, low, high, bins), 1e-7)
        for component in [c for c in components if c and (c, name) in metrics][:2]:
            exact = "^" + re.escape(component).replace("\\-", "-") + "$"
            got = ask("series", "--metric", name, "--component", exact, "--bins", "7", path)
            close(f"{path}: {name} of {component}", got["values"],
                  rates(metrics, name, exact, second, low, high, 7), 1e-7)


def check_gem5_ratios(path, metrics, low, high):
    core = "board.processor.cores.core"
    own = ask("series", "--metric", "ipc", "--component", f"^{core}$", "--bins", "1", path)["values"]
    instructions = [(core + ".commitStats0", "numInsts")]
    close(f"{path}: ipc", own, ratio(metrics, instructions, [(core, "numCycles")], 1, low, high, 1), 1e-5)
    event = "demandMisses::total"
    misses = [key for key in metrics if key[1] == event]
    got = ask("series", "--metric", "mpki:" + event, "--bins", "3", path)["values"]
    close(f"{path}: mpki", got, ratio(metrics, misses, instructions, 1000, low, high, 3), 1e-7)
    misses = [key for key in misses if "l1d" in key[0]]
    got = ask("series", "--metric", "mpki:" + event, "--component", "l1d", "--bins", "1", path)["values"]
    close(f"{path}: mpki of a cache", got, ratio(metrics, misses, instructions, 1000, low, high, 1), 1e-7)


def is_host(name):
    return re.match(r"host([A-Z_])", name) is not None


def check_compare(a, b, metrics):
    """Of one section each, a total and a mean are its value."""
    one, two = ({key: mean(key, m) for key in m} for m in metrics)
    got = ask("compare", a, b)["metrics"]
    want = []
    for key in set(one) | set(two):
        x, y = one.get(key), two.get(key)
        delta = y - x if x is not None and y is not None else None
        want.append((key, x, y, delta))

    def weight(row):
        (_, name), x, _, delta = row
        share = -1 if delta is None else 0 if delta == 0 else abs(delta) / abs(x) if x else math.inf
        return (is_host(name), -share)

    want.sort(key=weight)
    rows = {(m["component"] or "", m["name"]): m for m in got}
    same("compare: names", sorted(rows), sorted(key for key, *_ in want))
    for key, x, y, delta in want:
        m = rows.get(key, {})
        close(f"compare: {key}", [m.get("a"), m.get("b"), m.get("delta")], [x, y, delta])
    order = [weight((((m["component"] or ""), m["name"]), m["a"], m["b"], m["delta"])) for m in got]
    same("compare: order", order, sorted(order))


def main():
    gem5 = []
    for path in sys.argv[1:]:
        text = open(path, encoding="utf-8").read()
        is_gem5 = "Begin Simulation Statistics" in text
        metrics, second, counts = (read_gem5 if is_gem5 else read_perf)(text)
        low, high = check_info(path, metrics)
        check_series(path, metrics, second, counts, low, high)
        if is_gem5:
            check_gem5_ratios(path, metrics, low, high)
            gem5.append((path, metrics))
    if len(gem5) != 2:
        fail(f"{len(gem5)} files of gem5 instead of 2")
    else:
        check_compare(gem5[1][0], gem5[0][0], (gem5[1][1], gem5[0][1]))
    finish()


main()
