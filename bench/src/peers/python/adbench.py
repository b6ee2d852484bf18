"""ADBench's problems with PyTorch in f64 on a processor, to be set beside Ebb's.

python3 adbench.py                      prints the version of PyTorch; exits with 3 where there is none
python3 adbench.py THREADS FILES        times the derivatives of problems; a folder stands for all files in it
python3 adbench.py --self-check         compares derivatives of small problems with central differences

Files are safetensors that `adbench.AdBench files=FOLDER` writes: what a problem is given, and what Ebb computed
from it, of large results every 101st entry. A line for each file: the problem's name, milliseconds (median of the
later half of all runs, then the best of all), and how far the results are from Ebb's as a share of the largest
entry, with tabs between them. Results that differ by more than 1e-9 make the exit status 1.
"""
import json
import math
import os
import statistics
import struct
import sys
import time

try:
    import torch
except ImportError:
    print("there is no torch in this python3")
    sys.exit(3)

LEAST_RUNS, SECONDS = 10, 4
TOLERANCE = 1e-9
TYPES = {"F64": torch.float64, "I64": torch.int64}
FINGERS, JOINTS, BONES = 5, 4, 22


def dense(value, variables):
    """The value of a function and its gradient by all variables."""

    def run():
        leaves = [v.detach().requires_grad_() for v in variables]
        found = value(*leaves)
        return [found.detach(), *torch.autograd.grad(found, leaves)]

    def expected():
        grads = []
        for i, x in enumerate(variables):
            def one(flat):
                return value(*variables[:i], flat.reshape(x.shape), *variables[i + 1:])

            grads.append(differences(one, x.flatten()).reshape(x.shape))
        return [value(*variables), *grads]

    return run, expected


def gmm(given):
    """The log-likelihood of a mixture of Gaussians under a Wishart prior with gamma 1 and m 0."""
    x = given["points"]
    n, d = x.shape
    k = given["alphas"].shape[0]
    # below the diagonal, column by column
    columns, rows = torch.triu_indices(d, d, 1)
    freedom = d + 1
    log_gamma = 0.25 * d * (d - 1) * math.log(math.pi) + sum(
        math.lgamma(0.5 * freedom + 0.5 * (1 - j)) for j in range(1, d + 1))
    constant = -0.5 * n * d * math.log(2 * math.pi) + k * (0.5 * freedom * d * math.log(2) + log_gamma)

    def value(alphas, means, factors):
        logs, below = factors[:, :d], factors[:, d:]
        scales = logs.exp()
        q = torch.diag_embed(scales).index_put((torch.arange(k)[:, None], rows, columns), below)
        turned = (x @ q.reshape(k * d, d).transpose(0, 1)).reshape(n, k, d)
        centres = (q @ means[:, :, None])[:, :, 0]
        terms = alphas + logs.sum(1) - 0.5 * (turned - centres).square().sum(2)
        likelihood = terms.logsumexp(1).sum() - n * alphas.logsumexp(0)
        return likelihood + 0.5 * (scales.square().sum() + below.square().sum()) + constant

    return dense(value, [given["alphas"], given["means"], given["factors"]])


def lstm(given):
    """The loss of a character model whose cells work element by element."""
    sequence, state = given["sequence"], given["state"]
    length, b = sequence.shape
    layers = state.shape[0]

    def value(gates, ends):
        weights, biases = (gates[:, i].reshape(layers, 4 * b).unbind() for i in range(2))
        hidden, cells = (list(state[:, i].unbind()) for i in range(2))
        outputs = []
        for x in (sequence[:-1] * ends[0]).unbind():
            for i in range(layers):
                gate = torch.cat((x, hidden[i], x, hidden[i])) * weights[i] + biases[i]
                forget, enter, leave = gate[:3 * b].sigmoid().split(b)
                cells[i] = cells[i] * forget + enter * gate[3 * b:].tanh()
                hidden[i] = x = leave * cells[i].tanh()
            outputs.append(x)
        foretold = torch.stack(outputs) * ends[1] + ends[2]
        logs = foretold - (foretold.exp().sum(1, keepdim=True) + 2).log()
        return -(sequence[1:] * logs).sum() / (b * (length - 1))

    return dense(value, [given["gates"], given["ends"]])


def ba(given):
    """Bundle adjustment: of each residual its derivatives by its own camera, point and weight."""
    camera, point, features = given["camera"], given["point"], given["features"]

    def residuals(cameras, points, weights):
        rotation, centre, focal = cameras[:, :3], cameras[:, 3:6], cameras[:, 6:7]
        angle = rotation.square().sum(1, keepdim=True).sqrt()
        axis, cos, sin = rotation / angle, angle.cos(), angle.sin()
        x = points - centre
        along = (axis * x).sum(1, keepdim=True) * (1 - cos)
        turned = x * cos + torch.linalg.cross(axis, x) * sin + axis * along
        flat = turned[:, :2] / turned[:, 2:]
        r = flat.square().sum(1, keepdim=True)
        distorted = flat * (1 + cameras[:, 9:10] * r + cameras[:, 10:] * r.square())
        return (distorted * focal + cameras[:, 7:9] - features) * weights[:, None]

    def variables():
        return [given["cameras"][camera], given["points"][point], given["weights"].clone()]

    def run():
        # a residual depends on its own row alone, so that the gradient of a column's sum has its derivatives
        leaves = [v.requires_grad_() for v in variables()]
        both = residuals(*leaves).unbind(1)
        rows = [torch.autograd.grad(r.sum(), leaves, retain_graph=True) for r in both]
        return [torch.stack(pair, 1) for pair in zip(*rows)]

    def expected():
        c, p, w = variables()
        return [differences(lambda x: residuals(x, p, w), c),
                differences(lambda x: residuals(c, x, w), p),
                differences(lambda x: residuals(c, p, x[:, 0]), w[:, None])[:, :, 0]]

    return run, expected


def vertices_of(given):
    """All vertices of a posed hand as a function of the pose."""
    last = torch.tensor([0.0, 0.0, 0.0, 1.0], dtype=torch.float64).expand(BONES, 1, 4)
    base, inverse = (torch.cat((given[name], last), 1) for name in ("base", "inverse"))
    weighted = given["weighted"]
    root, forearm = base[0], base[BONES - 1]
    fingers = base[1:BONES - 1].reshape(FINGERS, JOINTS, 4, 4)
    none, one = (torch.full((FINGERS,), x, dtype=torch.float64) for x in (0.0, 1.0))
    nothing, straight = torch.zeros((), dtype=torch.float64), torch.eye(3, dtype=torch.float64)

    def turn(a, b):
        """About x by a and then about z by b."""
        ca, sa, cb, sb = a.cos(), a.sin(), b.cos(), b.sin()
        entries = (cb, -sb * ca, sb * sa, none, sb, cb * ca, -cb * sa, none, none, sa, ca, none,
                   none, none, none, one)
        return torch.stack(entries, 1).reshape(FINGERS, 4, 4)

    def rotation(r):
        angle = r.square().sum().sqrt()
        axis = r / angle
        x, y, z = axis.unbind()
        cross = torch.stack((nothing, -z, y, z, nothing, -x, -y, x, nothing)).reshape(3, 3)
        return straight * angle.cos() + cross * angle.sin() + axis[:, None] * axis * (1 - angle.cos())

    def vertices(pose):
        angles = pose[6:].reshape(FINGERS, 4)
        chain = [root @ fingers[:, 0]]
        for joint in range(1, JOINTS):
            first = angles[:, 0 if joint == 1 else joint]
            second = angles[:, 1] if joint == 1 else none
            chain.append(chain[-1] @ (fingers[:, joint] @ turn(first, second)))
        chains = torch.stack(chain, 1).reshape(FINGERS * JOINTS, 4, 4)
        frames = torch.cat((root[None], chains, (root @ forearm)[None]))
        change = (frames @ inverse)[:, :3]
        posed = weighted @ change.transpose(1, 2).reshape(BONES * 4, 3)
        return posed @ rotation(pose[:3]).transpose(0, 1) + pose[3:6]

    return vertices


def simple_hand(given):
    """Of each point how far it is from its vertex, by the numbers of the pose."""
    vertices, pose, measured = vertices_of(given), given["pose"], given["measured"]
    corner = given["corners"][:, 0].clone()

    def error(p):
        return measured - vertices(p)[corner]

    def run():
        return [torch.func.jacfwd(error)(pose).movedim(-1, 0)]

    def expected():
        return [differences(error, pose).movedim(-1, 0)]

    return run, expected


def complicated_hand(given):
    """Of each point how far it is from a place on its triangle, by the pose and by the place's coordinates."""
    vertices, pose, measured, places = vertices_of(given), given["pose"], given["measured"], given["places"]
    corners = given["corners"].unbind(1)

    def error(found, at):
        u, v = at[:, :1], at[:, 1:]
        a, b, c = (found[corner] for corner in corners)
        return measured - (a * u + b * v + c * (1 - u - v))

    def by_pose(p):
        return error(vertices(p), places)

    def run():
        found = vertices(pose)
        # a point depends on its own place alone, so that all places can be shifted at once
        shift = torch.zeros(2, dtype=torch.float64)
        return [torch.func.jacfwd(by_pose)(pose).movedim(-1, 0),
                torch.func.jacfwd(lambda s: error(found, places + s))(shift)]

    def expected():
        found = vertices(pose)
        return [differences(by_pose, pose).movedim(-1, 0), differences(lambda x: error(found, x), places)]

    return run, expected


PROBLEMS = {"gmm": gmm, "ba": ba, "lstm": lstm, "simple hand": simple_hand, "complicated hand": complicated_hand}


def differences(f, x, step=1e-6):
    """Central differences of f by each column of x, shifted in all rows at once; columns come last."""
    columns = []
    for c in range(x.shape[-1]):
        shift = torch.zeros_like(x)
        shift[..., c] = step
        columns.append((f(x + shift) - f(x - shift)) / (2 * step))
    return torch.stack(columns, -1)


def load(file):
    """The notes and the tensors of a safetensors file."""
    with open(file, "rb") as f:
        (length,) = struct.unpack("<Q", f.read(8))
        header = json.loads(f.read(length))
        data = bytearray(f.read())
    notes = header.pop("__metadata__")
    tensors = {}
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        dtype = TYPES[entry["dtype"]]
        flat = torch.frombuffer(data, dtype=dtype, offset=begin, count=(end - begin) // 8)
        tensors[name] = flat.reshape(entry["shape"]).clone()
    return notes, tensors


def apart(found, expected):
    """The largest difference as a share of the largest entry."""
    if found.shape != expected.shape:
        raise ValueError(f"shapes {tuple(found.shape)} and {tuple(expected.shape)}")
    return ((found - expected).abs().max() / expected.abs().max()).item()


def difference(results, given, stride_of):
    """How far results are from Ebb's, by the entries that were kept and the sums of all magnitudes."""
    most = 0.0
    for i, result in enumerate(results):
        flat = result.detach().flatten()
        most = max(most, apart(flat[::stride_of(i)], given[f"result {i}"]),
                   apart(flat.abs().sum()[None], given[f"sum {i}"]))
    return most


def timed(run):
    """Milliseconds of all runs, and the results of the last."""
    times = []
    begun = time.perf_counter()
    while len(times) < LEAST_RUNS or time.perf_counter() - begun < SECONDS:
        start = time.perf_counter()
        results = run()
        times.append((time.perf_counter() - start) * 1e3)
    return times, results


def measure(file):
    """Prints the line of a file; whether the results are Ebb's."""
    notes, given = load(file)
    run, _ = PROBLEMS[notes["problem"]](given)
    times, results = timed(run)
    found = difference(results, given, lambda i: int(notes[f"stride {i}"]))
    later = times[len(times) // 2:]
    print(f"{notes['name']}\t{statistics.median(later):.3f}\t{min(times):.3f}\t{found:.1e}", flush=True)
    return found <= TOLERANCE


def small_inputs():
    """What small problems of every kind are given."""

    def numbers(*shape, low=-1.0, high=1.0):
        return torch.rand(shape, dtype=torch.float64) * (high - low) + low

    hand = {"base": numbers(BONES, 3, 4), "inverse": numbers(BONES, 3, 4), "weighted": numbers(9, BONES * 4) / 8,
            "measured": numbers(7, 3), "corners": torch.randint(0, 9, (7, 3)),
            "pose": numbers(26, low=0.1, high=0.6), "places": numbers(7, 2, low=0.0, high=0.5)}
    cameras = numbers(3, 11, low=0.1, high=1.0)
    cameras[:, :3] *= 0.1
    return {
        "gmm": {"alphas": numbers(3), "means": numbers(3, 4), "factors": numbers(3, 10), "points": numbers(20, 4)},
        "ba": {"cameras": cameras, "points": numbers(5, 3, low=2.0, high=3.0), "weights": numbers(8, low=0.5),
               "features": numbers(8, 2), "camera": torch.arange(8) % 3, "point": torch.randint(0, 5, (8,))},
        "lstm": {"gates": numbers(2, 2, 4, 3), "ends": numbers(3, 3), "state": numbers(2, 2, 3),
                 "sequence": numbers(6, 3, low=0.0)},
        "simple hand": hand,
        "complicated hand": hand,
    }


def self_check():
    """Whether the derivatives of small problems are near central differences."""
    torch.manual_seed(1)
    good = True
    for name, given in small_inputs().items():
        run, expected = PROBLEMS[name](given)
        found, wanted = run(), expected()
        most = max(apart(f, w) for f, w in zip(found, wanted, strict=True))
        near = most < 1e-6
        good = good and near
        print(f"{name}: {'near' if near else 'FAR FROM'} central differences, {most:.1e}", flush=True)
    return good


def main(arguments):
    if not arguments:
        print(torch.__version__)
        return True
    if arguments == ["--self-check"]:
        return self_check()
    torch.set_num_threads(int(arguments[0]))
    torch.set_num_interop_threads(1)
    files = []
    for path in arguments[1:]:
        inside = sorted(os.listdir(path)) if os.path.isdir(path) else None
        files += [path] if inside is None else [os.path.join(path, f) for f in inside if f.endswith(".safetensors")]
    return all([measure(file) for file in files])


if __name__ == "__main__":
    sys.exit(0 if main(sys.argv[1:]) else 1)
