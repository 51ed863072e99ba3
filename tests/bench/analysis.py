#!/usr/bin/python3
"""The comparison that vrun makes of a campaign by tests/tools/make_campaign.c,
with pandas.

analysis.py run DIR             comparisons as JSON, as in vrun's report
analysis.py same REPORT OTHER   fails unless both have the same comparisons
"""
import sys

import numpy as np
import pandas as pd
import ujson
from scipy.stats import norm
from scipy.stats import t as student

TOLERANCE = 1e-9  # relative; sums are added in another order


def read(path):
    """The figures that count: one row for each trial that was ok."""
    rows = []
    with open(path, "rb") as lines:
        for line in lines:
            r = ujson.loads(line)
            if r["event"] != "finished" or r["result"]["outcome"] != "ok":
                continue
            levels = r["levels"]
            rows.append((levels["mean"], levels["effect"], r["host"],
                         r["block"], r["result"]["metrics"][0]["value"]))
    return pd.DataFrame(rows, columns=["mean", "effect", "host", "block", "y"])


def describe(figures):
    """By cell and host, as vrun does, though nothing is made of it here."""
    g = figures.groupby(["mean", "effect", "host"], sort=False)["y"]
    return g.agg(["count", "mean", "std"]).join(
        g.quantile([0, .25, .5, .75, 1]).unstack())


def effective(w):
    """Rounds that autocorrelated contrasts are worth (von Neumann 1941)."""
    d = w - w.groupby(["mean", "host"], sort=False).transform("mean")
    g = d.groupby(["mean", "host"], sort=False)
    n, squares = g.size(), (d ** 2).groupby(["mean", "host"], sort=False).sum()
    steps = (g.diff() ** 2).groupby(["mean", "host"], sort=False).sum()
    lag1 = (d * g.shift()).groupby(["mean", "host"], sort=False).sum() / squares
    z = (steps / squares - 2) / np.sqrt(4 * (n - 2) / (n ** 2 - 1))
    r = (lag1 + (1 + 3 * lag1) / n).clip(0, .95)
    return n.where(norm.cdf(z) >= .01, np.maximum(2, n * (1 - r) / (1 + r)))


def compare(wide, effect):
    """Ratio of means over complete rounds, hosts averaged (Kalibera & Jones)."""
    pair = wide[["0", effect]].dropna()
    hosts = pair.groupby(["mean", "host"], sort=False)
    means = hosts.transform("mean")
    w = pair[effect] / means[effect] - pair["0"] / means["0"]
    n, worth = hosts.size(), effective(w)
    se2 = (w ** 2).groupby(["mean", "host"], sort=False).sum() / (n - 1) / worth
    m = hosts.mean()
    by_host = pd.DataFrame({"l": np.log(m[effect] / m["0"]), "se2": se2,
                            "se4": se2 ** 2 / (worth - 1)})
    g = by_host.groupby("mean", sort=False)
    total, k = g["se2"].sum(), g.size()
    out = pd.DataFrame({"log_ratio": g["l"].mean(),
                        "se_log": np.sqrt(total) / k,
                        "df": total ** 2 / g["se4"].sum()})
    out["p_diff"] = 2 * student.sf(abs(out["log_ratio"] / out["se_log"]),
                                   out["df"])
    out["cell"] = "effect=" + effect + ", mean=" + out.index
    return out


def run(directory):
    figures = read(directory + "/trials.jsonl")
    describe(figures)
    wide = figures.set_index(["mean", "host", "block", "effect"])["y"].unstack()
    effects = [e for e in wide.columns if e != "0"]
    found = pd.concat([compare(wide, e) for e in effects])
    print(ujson.dumps({"comparisons": found.to_dict("records")}))


def by_cell(path):
    with open(path) as f:
        return {c["cell"]: c for c in ujson.load(f)["comparisons"]}


def same(path, other):
    a, b = by_cell(path), by_cell(other)
    assert a.keys() == b.keys() and a, "other comparisons"
    for cell, x in a.items():
        for key in ("log_ratio", "se_log", "df", "p_diff"):
            assert np.isclose(x[key], b[cell][key], rtol=TOLERANCE,
                              atol=1e-12), (cell, key, x[key], b[cell][key])
    print(f"{len(a)} comparisons are the same")


if __name__ == "__main__":
    {"run": run, "same": same}[sys.argv[1]](*sys.argv[2:])
