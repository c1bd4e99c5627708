"""A commitment to Fibonacci chains, what a low-degree extension is, and the time that transforms take.

A notebook as a script: cells begin with `# %%`, as editors with a Python console run them. As a program it writes its plots to a folder:

    python fibonacci.py PLOTS
"""

# %%
import pathlib
import sys

import matplotlib

if "ipykernel" not in sys.modules:
    matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import zkaccel

P = zkaccel.MODULUS
folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 and "ipykernel" not in sys.modules else "plots")
folder.mkdir(parents=True, exist_ok=True)

# %% [markdown]
# The trace: registers in columns, steps in rows. Four chains of Fibonacci numbers modulo p, two registers each.

# %%
steps, chains = 1024, 4
trace = np.empty((steps, 2 * chains), np.uint64)
for chain in range(chains):
    a, b = 1, chain + 1
    for step in range(steps):
        trace[step, 2 * chain : 2 * chain + 2] = a, b
        a, b = b, (a + b) % P

# %% [markdown]
# The prover commits to the trace and opens rows that the verifier names. The verifier knows the root and the shape.

# %%
commitment = zkaccel.commit(trace, blowup=8, hash="rpo256")
opening = commitment.open([5, 1000, 8191])
assert zkaccel.verify(opening, commitment.root, hash="rpo256", rows=8 * steps, columns=2 * chains)
print("device", zkaccel.default_engine().device.id)
print("root  ", commitment.root)
print("opened", opening.indices)

# %% [markdown]
# Low-degree extension: 16 values determine a polynomial of degree below 16. Its values on 8 times as many points are a codeword; one changed
# value of the 16 leaves at most 15 of the 128 as they were, which is why a few opened rows tell.

# %%
values = np.array([(i * i) % 97 for i in range(16)], np.uint64)
changed = values.copy()
changed[3] += np.uint64(1)
codeword, other = (zkaccel.lde(column, 8) for column in (values, changed))
differ = codeword != other
print(f"{np.count_nonzero(differ)} of {differ.size} values of the extension differ")

figure, (above, below) = plt.subplots(2, 1, figsize=(8, 5), layout="constrained")
above.stem(np.arange(16), values, basefmt=" ")
above.set(title="16 values, of which the fourth is to be changed", xlabel="row", ylabel="value")
below.scatter(np.arange(128), codeword / P, s=12, label="extension")
below.scatter(np.arange(128), other / P, s=12, marker="x", label="extension of the changed values")
below.set(title="their extensions to 128 points", xlabel="row", ylabel="value / p")
figure.legend(loc="outside lower center", ncols=2)
figure.savefig(folder / "extension.png", dpi=120)

# %% [markdown]
# Times against sizes, on the engine of the process. `zkaccel.bench` is a quick look; the command `zkaccel bench` measures more carefully.

# %%
sizes = [2**k for k in range(8, 17, 2)]
figure, axis = plt.subplots(figsize=(8, 5), layout="constrained")
for operation in ("ntt", "lde", "merkle_root", "fft", "msm"):
    times = [zkaccel.bench(operation, size, runs=3)["median"] for size in sizes]
    axis.loglog(sizes, times, marker="o", base=2, label=operation)
axis.set(title=f"median time on {zkaccel.default_engine().device.id}", xlabel="rows", ylabel="seconds")
axis.set_yscale("log", base=10)
axis.grid(visible=True, which="both", alpha=0.3)
axis.legend()
figure.savefig(folder / "times.png", dpi=120)
