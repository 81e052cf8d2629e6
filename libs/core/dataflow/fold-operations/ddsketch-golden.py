"""Writes ddsketch-golden.json: what the reference implementation of DDSketch returns for generated data.

    pip install ddsketch==3.0.1
    python3 ddsketch-golden.py > ddsketch-golden.json

ddsketch.spec.ts generates the same data and expects the same bins and the same quantiles.
"""
import hashlib
import json

from ddsketch.ddsketch import LogCollapsingLowestDenseDDSketch

PROBABILITIES = [0, 0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 0.999, 1]


def numbers(seed):
    """Park and Miller's generator, as fractions of 1."""
    state = seed
    while True:
        state = state * 48271 % 2147483647
        yield state / 2147483647


def power(u, least, most):
    return float(f"1e{int(least + u * (most - least))}")


KINDS = {
    "constant": lambda u, v: 100.0,
    "uniform": lambda u, v: u * 1000,
    "integers": lambda u, v: float(int(u * 100)),
    "pareto": lambda u, v: 1 / (1 - u),
    "heavy tail": lambda u, v: 1 / ((1 - u) * (1 - u) * (1 - v)),
    "negative": lambda u, v: -1 / (1 - u),
    "both signs": lambda u, v: (u - 0.5) * power(v, 0, 5),
    "16 orders of magnitude": lambda u, v: u * power(v, -8, 8),
    "collapsing": lambda u, v: u * power(v, -20, 20),
    "all doubles": lambda u, v: (u - 0.5) * power(v, -305, 305),
}


def text(store):
    return ",".join(f"{i + store.offset}:{int(n)}" for i, n in enumerate(store.bins) if n)


def golden(kind, seed, count):
    sketch = LogCollapsingLowestDenseDDSketch(0.01, 2048)
    random = numbers(seed)
    for _ in range(count):
        sketch.add(KINDS[kind](next(random), next(random)))
    bins = f"{int(sketch._zero_count)};{text(sketch._store)};{text(sketch._negative_store)}"
    return {
        "kind": kind,
        "seed": seed,
        "count": count,
        "bins": sum(1 for store in (sketch._store, sketch._negative_store) for n in store.bins if n),
        "sha256": hashlib.sha256(bins.encode()).hexdigest(),
        "quantiles": [sketch.get_quantile_value(p) for p in PROBABILITIES],
    }


sets = [
    golden(kind, seed, count)
    for i, kind in enumerate(KINDS)
    for seed, count in ((17 + i, 57), (1000 + i, 5000))
]
print('{"probabilities": ' + json.dumps(PROBABILITIES) + ', "sets": [')
print(",\n".join(json.dumps(one) for one in sets))
print("]}")
