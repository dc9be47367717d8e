"""Every metric over several ranges and numbers of bins, against counts made tick by tick."""

import random
from bisect import bisect_right
from itertools import accumulate

from check import ask, close, same
from model import STAGES

RATES = ("ipc", "fetch", "commit", "squash", "in-flight")


def edges(start, end, bins):
    """A bin holds the whole ticks t with start + k*w <= t < start + (k+1)*w."""
    return [start + -(-k * (end - start) // bins) for k in range(bins + 1)]


def means(ticks, first, start, end, bins):
    """Means of one number a tick; no ticks of the trace, no value."""
    sums = [0, *accumulate(ticks)]
    values = []
    at = [min(max(tick - first, 0), len(ticks)) for tick in edges(start, end, bins)]
    for lo, hi in zip(at, at[1:]):
        values.append((sums[hi] - sums[lo]) / (hi - lo) if hi > lo else None)
    return values


def sample_means(samples, start, end, bins):
    """Means of the samples in each bin; no samples, no value."""
    at = edges(start, end, bins)
    groups = [[] for _ in range(bins)]
    for tick, value in samples:
        if start <= tick < end:
            groups[bisect_right(at, tick) - 1].append(value)
    return [sum(g) / len(g) if g else None for g in groups]


def ranges(trace, rng, often):
    first, end = trace.first, trace.last + 1
    yield (first, end, 100)
    yield (first, end, 7)
    if not often:
        return
    yield (first, end, 1)
    span = end - first
    yield (first, end, min(span, 5000))
    for _ in range(3):
        width = rng.choice((1, 2, 3, 10, 64, 100))
        bins = rng.randint(1, max(1, min(300, span // width)))
        start = first + rng.randrange(max(1, span - bins * width))
        yield (start, start + bins * width, bins)
    middle = first + span // 2
    yield (middle, middle + 100, 100)
    yield (middle, middle + 37, 10)
    yield (middle, middle + 10, 64)
    yield (first - 50, end + 75, 25)
    yield (end + 10, end + 20, 5)


def check_curves(path, trace, often):
    rng = random.Random(4711)
    curves = {metric: trace.per_tick(metric) for metric in RATES}
    curves["occupancy"] = trace.per_tick("occupancy")
    for stage in STAGES:
        curves["occupancy", f"^{stage}$"] = trace.per_tick("occupancy", {stage})
    curves["occupancy", "IF|WB"] = trace.per_tick("occupancy", {"IF", "WB"})
    answer = ask("series", "--metric", "ipc", path)
    same("default range", (answer["from"], answer["to"], len(answer["values"])), (trace.first, trace.last + 1, 100))
    for start, end, bins in ranges(trace, rng, often):
        where = ("--from", start, "--to", end, "--bins", bins)
        for key, ticks in curves.items():
            metric, component = key if isinstance(key, tuple) else (key, None)
            names = ("--metric", metric) + (("--component", component) if component else ())
            answer = ask("series", *names, *where, path)
            if not answer:
                return
            same("head", [answer[k] for k in ("metric", "component", "from", "to")], [metric, component, start, end])
            close(f"{key} [{start},{end})/{bins}", answer["values"], means(ticks, trace.first, start, end, bins), 1e-6)
        for metric, samples in trace.statistics.items():
            answer = ask("series", "--metric", metric, *where, path)
            want = sample_means(samples, start, end, bins)
            close(f"{metric} [{start},{end})/{bins}", answer["values"], want, 1e-6)
