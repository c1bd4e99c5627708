"""Checks the OpenCL side of the NTT kernels against a radix-2 reference. usage: pocl_test.py [double|plain] [max log size]"""
import ctypes, subprocess, sys, time, random, os
import numpy as np
import pyopencl as cl
here = os.path.dirname(os.path.abspath(__file__))
so = os.path.join(here, '..', 'build', 'plan.so')
subprocess.check_call(['g++', '-O2', '-shared', '-fPIC', '-DPLAN_LIB', '-x', 'c++', os.path.join(here, 'plan.h'), '-o', so])
lib = ctypes.CDLL(so)
U64, U32 = ctypes.c_uint64, ctypes.c_uint32
class Args(ctypes.Structure):
    _fields_ = [('total', U64), ('magic', U64), ('in_off', U64 * 16), ('pre_off', U64 * 16), ('out_off', U64 * 16)] + [(n, U64) for n in 'src_size dst_size in_mask pre_mask post_mask'.split()] + [(n, U32) for n in
        'width lx in_drop in_a in_digits out_a out_rev flags pre_shift i0_shift i0_mask pre_stride pre_li pre_lj pre_up pre_lo post_log post_lo'.split()] + [(n, U32 * 16) for n in ('mid_off', 'last_off', 'out_row')]
class Table(ctypes.Structure):
    _fields_ = [(n, U32) for n in 'kind log_period li lj flags rev_log log_replicas lo'.split()] + [(n, U64) for n in 'base step scale'.split()]
class Shape(ctypes.Structure):
    _fields_ = [(n, U32) for n in 'lr1 lr2 lr3 lc pre post in_rows out_rows'.split()]
class Launch(ctypes.Structure):
    _fields_ = [('shape', Shape), ('args', Args), ('pre', Table), ('post', Table), ('tile_root', U64), ('g_inverse', U32), ('src', U32), ('dst', U32), ('groups', U64), ('threads', U32), ('pad', U32)]
class Request(ctypes.Structure):
    _fields_ = [('root', U64), ('shift', U64), ('batch', U64)] + [(n, U32) for n in 'k lb inverse in_rev out_rev width full_limit nf'.split()] + [('f', U32 * 4), ('lc', U32 * 4)]
assert (lib.sizes(0), lib.sizes(1), lib.sizes(2)) == (ctypes.sizeof(Request), ctypes.sizeof(Launch), ctypes.sizeof(Args)), (lib.sizes(0), lib.sizes(1), ctypes.sizeof(Launch))
P = 0xffffffff00000001
ROOT = {'w': 7277203076849721926, 'p': 1753635133440165772}
inv = lambda x: pow(x, P - 2, P)
rev = lambda i, k: int(format(i, '0%db' % k)[::-1], 2) if k else 0
form = sys.argv[1] if len(sys.argv) > 1 else 'plain'
kmax = int(sys.argv[2]) if len(sys.argv) > 2 else 12
ctx = cl.Context([cl.get_platforms()[0].get_devices()[0]]); queue = cl.CommandQueue(ctx)
source = open(os.path.join(here, 'ntt.cl')).read()
base_opts = ['-cl-std=CL1.2', '-I', here] + (['-DNTT_FORM_DOUBLE'] if form == 'double' else [])
progs = {}
def kernel(s):
    key = tuple(getattr(s, n) for n, _ in Shape._fields_)
    if key not in progs:
        o = ['-DNTT_NAME=pass'] + ['-D%s=%d' % z for z in zip('NTT_LR1 NTT_LR2 NTT_LR3 NTT_LC NTT_PRE NTT_POST NTT_IN_ROWS NTT_OUT_ROWS'.split(), key)]
        o.append('-DNTT_LP=%d' % max(key[:3]))
        progs[key] = cl.Program(ctx, source).build(base_opts + o).__getattr__('pass')
    return progs[key]
fill_prog = cl.Program(ctx, source).build(base_opts).ntt_fill
mf = cl.mem_flags
def fill(buf, off, count, base, step, scale, lp, li, lj, flags, rl):
    tmp = cl.Buffer(ctx, mf.READ_WRITE, count * 8)
    fill_prog(queue, ((count + 255) // 256 * 256,), (256,), tmp, *[np.uint64(x) for x in (count, base, step, scale)], *[np.uint32(x) for x in (lp, li, lj, flags, rl)])
    cl.enqueue_copy(queue, buf, tmp, dst_offset=off * 8, byte_count=count * 8)
def make_table(t):
    if t.kind == 0: return None
    if t.kind == 2:
        count = 1 << (t.log_period + t.log_replicas); buf = cl.Buffer(ctx, mf.READ_WRITE, count * 8)
        fill(buf, 0, count, t.base, t.step, t.scale, t.log_period, t.li, t.lj, t.flags, t.rev_log); return buf
    hi = t.log_period - t.lo; stride = (1 << t.lo) + (1 << hi)
    buf = cl.Buffer(ctx, mf.READ_WRITE, (stride << t.log_replicas) * 8)
    for r in range(1 << t.log_replicas):
        b = t.base * pow(t.step, rev(r, t.rev_log) if t.rev_log else r, P) % P
        fill(buf, r * stride, 1 << t.lo, b, 1, t.scale, t.lo, 0, t.lo, 0, 0)
        fill(buf, r * stride + (1 << t.lo), 1 << hi, pow(b, 1 << t.lo, P), 1, 1, hi, 0, hi, 0, 0)
    return buf
def run(q, data):
    ls = (Launch * 8)(); n = lib.plan(ctypes.byref(q), ls, 8)
    size_in, size_out = data.size * 8, (data.size << q.lb) * 8
    bufs = [cl.Buffer(ctx, mf.READ_WRITE | mf.COPY_HOST_PTR, hostbuf=data), cl.Buffer(ctx, mf.READ_WRITE, size_out), cl.Buffer(ctx, mf.READ_WRITE, size_out)]
    poison = np.full(data.size << q.lb, 0xdeadbeefdeadbeef, dtype=np.uint64)
    for b in bufs[1:]: cl.enqueue_copy(queue, b, poison)
    for l in ls[:n]:
        iv = (U64 * 4096)(); c = lib.inner(ctypes.byref(l), iv)
        ib = cl.Buffer(ctx, mf.READ_ONLY | mf.COPY_HOST_PTR, hostbuf=np.array(iv[:c], dtype=np.uint64))
        args = np.frombuffer(bytes(l.args), dtype=np.uint8)
        kernel(l.shape)(queue, (l.groups * l.threads,), (l.threads,), bufs[l.src], bufs[l.dst], ib, make_table(l.pre), make_table(l.post), args)
    out = np.empty(data.size << q.lb, dtype=np.uint64); cl.enqueue_copy(queue, out, bufs[1]); queue.finish()
    back = np.empty_like(data); cl.enqueue_copy(queue, back, bufs[0]); queue.finish()
    assert (back == data).all(), 'source changed'
    return out
def powers(s, n):
    r, x = [], 1
    for _ in range(n): r.append(x); x = x * s % P
    return r
def mulv(a, b): return np.array([x * y % P for x, y in zip(a.tolist(), b)], dtype=np.uint64)
def ref(a, k, root):
    a = np.ascontiguousarray(a); lib.reference(a.ctypes.data_as(ctypes.c_void_p), k, U64(root)); return a
def expected(q, data):
    k, K = q.k, q.k + q.lb; n, N = 1 << k, 1 << K; w = q.width
    x = data.reshape(q.batch, n, w); out = np.empty((q.batch, N, w), dtype=np.uint64)
    perm_in = [rev(i, k) for i in range(n)] if q.in_rev else slice(None)
    perm_out = [rev(i, K) for i in range(N)] if q.out_rev else slice(None)
    sp = powers(inv(q.shift) if q.inverse else q.shift, n); ni = inv(n)
    if q.inverse: sp = [s * ni % P for s in sp]
    for b in range(q.batch):
        for c in range(w):
            v = x[b, :, c][perm_in].copy()
            if q.inverse: r = mulv(ref(v, k, inv(q.root)), sp)
            else:
                v = mulv(v, sp); v = np.concatenate([v, np.zeros(N - n, dtype=np.uint64)]); r = ref(v, K, q.root)
            out[b, :, c] = r[perm_out]
    return out.reshape(-1)
def case(k, lb=0, conv='w', inverse=0, ir=0, orv=0, width=1, batch=1, shift=1, full=30, f=(), lc=(), edge=None, root=None):
    K = k + lb; r = root if root else pow(ROOT[conv], 1 << (32 - K), P)
    q = Request(r, shift, batch, k, lb, inverse, ir, orv, width, full, len(f), (U32 * 4)(*f), (U32 * 4)(*lc))
    rng = np.random.default_rng(random.getrandbits(32)); size = batch * width << k
    d = rng.integers(0, P, size, dtype=np.uint64)
    if edge is not None: d[:] = edge
    if edge == -1 or edge is None and size > 8: 
        idx = rng.integers(0, size, 4); d[idx] = np.array([0, P - 1, 2**32 - 1, 2**32], dtype=np.uint64)
    got, want = run(q, d), expected(q, d)
    bad = np.nonzero(got != want)[0]
    if len(bad): print('BAD', dict(k=k, lb=lb, conv=conv, inverse=inverse, ir=ir, orv=orv, width=width, batch=batch, shift=shift, full=full, f=f, edge=edge), len(bad), 'of', len(want), bad[:8]); return 1
    return 0
if __name__ == '__main__':
    random.seed(5); t0 = time.time(); bad = cases = 0
    got = run(Request(pow(ROOT['w'], 1 << 29, P), 1, 1, 3, 0, 0, 0, 0, 1, 30, 0), np.arange(1, 9, dtype=np.uint64))
    assert got.tolist() == [36, 18445613771394122749, 18445618169507741693, 1121501793223676, 18446744069414584317, 18445622567621360637, 1125899906842620, 1130298020461564], got
    got = run(Request(pow(ROOT['p'], 1 << 29, P), 1, 1, 3, 0, 0, 0, 0, 1, 30, 0), np.arange(1, 9, dtype=np.uint64)).tolist()
    assert [got[i] for i in (0, 5, 2, 7, 4, 1, 6, 3)] == [36, 18445613771394122749, 18445618169507741693, 1121501793223676, 18446744069414584317, 18445622567621360637, 1125899906842620, 1130298020461564], got
    for k in (5, 9):
        for ir in (0, 1):
            for orv in (0, 1):
                d = np.random.default_rng(k).integers(0, P, 2 << k, dtype=np.uint64); r = pow(ROOT['p'], 1 << (32 - k), P)
                v = run(Request(r, 7, 2, k, 0, 0, ir, orv, 1, 30, 0), d)
                assert (run(Request(r, 7, 2, k, 0, 1, orv, ir, 1, 30, 0), v) == d).all()
    for k in range(0, kmax + 1):
        for ir in (0, 1):
            for orv in (0, 1):
                for inverse in (0, 1):
                    conv = random.choice('wp'); shift = random.choice([1, 7, 14293326489335486720]); full = random.choice([30, 30, 2])
                    width, batch = random.choice([(1, 1), (1, 3), (3, 2), (8, 1), (5, 1), (2, 1)] if k < 11 else [(1, 1), (3, 1)])
                    bad += case(k, 0, conv, inverse, ir, orv, width, batch, shift, full); cases += 1
                if k <= 11:
                    bad += case(k, random.choice([1, 2, 3]), random.choice('wp'), 0, ir, orv, random.choice([1, 3]), random.choice([1, 2]), random.choice([1, 7]), random.choice([30, 2])); cases += 1
        print('k', k, 'cases', cases, 'bad', bad, '%.0f s' % (time.time() - t0), len(progs), 'kernels', flush=True)
    for e in (0, P - 1, 2**32 - 1, 2**32, 1):
        for k in (1, 3, 4, 6, 8, 10): bad += case(k, edge=e, conv=random.choice('wp'), shift=random.choice([1, 7])); cases += 1
    for gpow in (3, 5, 7, 9, 11, 13, 15): bad += case(8, root=pow(pow(ROOT['w'], 1 << 24, P), gpow, P)) + case(9, root=pow(pow(ROOT['w'], 1 << 23, P), gpow, P)); cases += 2
    for f in ((1, 2, 3), (3, 1, 2), (2, 2, 2, 1), (4, 3, 2), (5, 6)):
        for ir in (0, 1):
            for orv in (0, 1):
                for lb in (0, 1, 2): bad += case(sum(f), lb if len(f) < 4 else 0, random.choice('wp'), 0, ir, orv, random.choice([1, 3]), 2, random.choice([1, 7]), random.choice([30, 2]), f); cases += 1
    print('cases', cases, 'bad', bad, '%.0f s' % (time.time() - t0))
