// Checks and times the NTT kernels on a CUDA device through the driver interface. `bench list` prints the kernels that it wants.
#define PLAN_LIB
#include "plan.h"
#include <cstdio>
#include <map>
#include <set>
#include <string>
#include <random>
#include <algorithm>
#ifndef LIST_ONLY
#include <cuda.h>
#define CK(x) do { CUresult e_ = (x); if (e_) { const char *s_; cuGetErrorString(e_, &s_); printf("%s:%d %s: %s\n", __FILE__, __LINE__, #x, s_); exit(1); } } while (0)
#endif
typedef P64 u64; typedef uint32_t u32;
static const u64 ROOTS[2] = {7277203076849721926ull, 1753635133440165772ull};
struct Case { const char *name; Request q; u32 mg[4]; char form; int lde; double target; };
static std::vector<Case> timing, checks;
static Request rq(int k, int lb, int conv, int inv, int ir, int orv, u32 width, u64 batch, u64 shift, std::vector<u32> f = {}, std::vector<u32> lc = {}, u32 full = 26) {
    Request q; memset(&q, 0, sizeof q); q.root = ppow(ROOTS[conv], 1ull << (32 - k - lb)); q.k = k; q.lb = lb; q.inverse = inv; q.in_rev = ir; q.out_rev = orv; q.width = width; q.batch = batch; q.shift = shift; q.full_limit = full;
    q.nf = f.size(); for (size_t i = 0; i < f.size(); i++) q.f[i] = f[i]; for (size_t i = 0; i < lc.size(); i++) q.lc[i] = lc[i]; return q;
}
static u32 default_mg(const Launch &l) { u32 p = l.shape.lr1 == 4 || l.shape.lr2 == 4 ? 16 : 8; u32 regs = p == 16 ? 128 : 80; u32 m = 65536 / (regs * l.threads); return m < 1 ? 1 : m > 16 ? 16 : m; }
static std::string kname(const Launch &l, u32 mg, char form) { const Shape &s = l.shape; char b[96]; u32 d = default_mg(l);
    snprintf(b, 96, "%c_%d%d%d_%d_%d%d_%d%d_%d", form, s.lr1, s.lr2, s.lr3, s.lc, s.pre, s.post, s.in_rows, s.out_rows, mg ? mg : d); return b; }
static void add(const char *n, Request q, double target, std::vector<u32> mg = {}, char form = 'd', int lde = 0) { Case c{n, q, {0,0,0,0}, form, lde, target}; for (size_t i = 0; i < mg.size(); i++) c.mg[i] = mg[i]; timing.push_back(c); }
static void cases() {
    auto N = [](int k, std::vector<u32> f = {}, std::vector<u32> lc = {}, u32 full = 26, u64 b = 1, u32 w = 1) { return rq(k, 0, 0, 0, 0, 0, w, b, 1, f, lc, full); };
    add("2^10", N(10), 0); add("2^12", N(12), 0); add("2^14", N(14), 0);
    add("2^16 8.8", N(16), 6); add("2^16 8.8 narrow c2", N(16, {8,8}, {258,258}), 6); add("2^18 9.9", N(18), 9); add("2^18 9.9 c1", N(18, {9,9}, {1,1}), 9); add("2^18 6.6.6 c3", N(18, {6,6,6}, {3,3,3}), 9);
    add("2^20 7.6.7", N(20, {7,6,7}), 20); add("2^20 10.10", N(20, {10,10}), 20); add("2^20 7.6.7 c3", N(20, {7,6,7}, {3,3,3}), 20); add("2^20 7.6.7 m5", N(20, {7,6,7}), 20, {5,5,5});  add("2^20 7.7.6", N(20, {7,7,6}), 20); add("2^20 6.7.7", N(20, {6,7,7}), 20);
    add("2^22 8.6.8", N(22), 78); add("2^22 7.8.7", N(22, {7,8,7}), 78);
    add("2^24 8.8.8", N(24), 290); add("2^24 8.8.8 m5", N(24), 290, {5,5,5});  add("2^24 8.8.8 c4", N(24, {}, {4,4,4}), 290); add("2^24 8.8.8 two-level", N(24, {}, {}, 22), 290);
    add("2^24 8.8.8 plain", N(24), 290, {}, 'u'); add("2^20 7.6.7 plain", N(20, {7,6,7}), 20, {}, 'u');
    add("2^26 10.8.8", N(26), 1300); add("2^26 9.9.8", N(26, {9,9,8}), 1300); add("2^26 10.8.8 m3", N(26), 1300, {3,5,5});
    add("64 x 2^20 cols 10.10", N(20, {10,10}, {}, 26, 64), 960); add("64 x 2^20 cols 10.10 m3", N(20, {10,10}, {}, 26, 64), 960, {3,3}); add("64 x 2^20 cols 7.6.7", N(20, {7,6,7}, {}, 26, 64), 960);
    add("64 x 2^20 rows 10.10", N(20, {10,10}, {}, 26, 1, 64), 960); add("64 x 2^20 rows 7.6.7", N(20, {7,6,7}, {}, 26, 1, 64), 960);
    add("2^20 nat->rev 7.6.7", rq(20, 0, 0, 0, 0, 1, 1, 1, 1), 0); add("2^24 nat->rev", rq(24, 0, 0, 0, 0, 1, 1, 1, 1), 0); add("2^24 rev->nat", rq(24, 0, 0, 0, 1, 0, 1, 1, 1), 0); add("2^24 inverse", rq(24, 0, 0, 1, 0, 0, 1, 1, 1), 290);
    add("LDE 64x2^20 x4 cols", rq(20, 2, 0, 0, 1, 0, 1, 64, 7, {10,10}), 8000, {}, 'd', 1); add("LDE 64x2^20 x4 rows", rq(20, 2, 0, 0, 1, 0, 64, 1, 7, {10,10}), 8000, {}, 'd', 1);
    add("LDE 64x2^20 x4 cols 767", rq(20, 2, 0, 0, 1, 0, 1, 64, 7, {7,6,7}), 8000, {}, 'd', 1); add("LDE 2^22 x4", rq(22, 2, 0, 0, 1, 0, 1, 1, 7), 500, {}, 'd', 1);
    std::mt19937 r(7);
    auto C = [](Request q) { Case c{"", q, {0,0,0,0}, 'd', 0, 0}; checks.push_back(c); };
    for (int k = 0; k <= 18; k++) for (int o = 0; o < 4; o++) {
        u64 sh[3] = {1, 7, 14293326489335486720ull};
        C(rq(k, 0, r() & 1, r() & 1, o & 1, o >> 1, 1, 1 + r() % 3, sh[r() % 3]));
        C(rq(k, 0, r() & 1, r() & 1, o & 1, o >> 1, k < 15 ? 5 : 3, 1, sh[r() % 3]));
        if (k <= 14) C(rq(k, 1 + r() % 3, r() & 1, 0, o & 1, o >> 1, k & 1 ? 1 : 4, 2, sh[r() % 3]));
    }
    for (int k : {11, 15, 18}) for (int o = 0; o < 4; o++) C(rq(k, 0, r() & 1, r() & 1, o & 1, o >> 1, 1, 2, 7, {}, {}, 4));
}
static Request inverse_of(const Case &c) { Request q = c.q; q.inverse = 1; q.root = ppow(c.q.root, 1ull << c.q.lb); q.lb = 0; q.in_rev = 0; q.out_rev = c.q.in_rev; q.shift = 1; return q; }
#ifdef LIST_ONLY
int main() { cases(); std::set<std::string> s;
    auto put = [&](const Request &q, const u32 *mg, char form) { auto v = make_plan(q); for (size_t i = 0; i < v.size(); i++) s.insert(kname(v[i], mg[i], form)); };
    for (auto &c : timing) { put(c.q, c.mg, c.form); if (c.lde) put(inverse_of(c), c.mg, c.form); }
    for (auto &c : checks) put(c.q, c.mg, c.form);
    for (auto &n : s) printf("%s\n", n.c_str()); }
#else
static std::map<std::string, CUfunction> fns; static CUfunction fill_fn; static std::string dir;
static std::vector<char> slurp(const std::string &p) { std::vector<char> v; FILE *f = fopen(p.c_str(), "rb"); if (!f) return v; fseek(f, 0, SEEK_END); v.resize(ftell(f)); rewind(f); if (fread(v.data(), 1, v.size(), f) != v.size()) v.clear(); fclose(f); return v; }
static CUfunction fn(const std::string &n) { auto it = fns.find(n); if (it != fns.end()) return it->second; auto b = slurp(dir + "/" + n + ".cubin"); if (b.empty()) { printf("no %s\n", n.c_str()); exit(1); }
    CUmodule m; CUfunction f; CK(cuModuleLoadData(&m, b.data())); CK(cuModuleGetFunction(&f, m, ("pass_" + n).c_str())); if (!fill_fn) CK(cuModuleGetFunction(&fill_fn, m, "ntt_fill")); return fns[n] = f; }
static CUdeviceptr alloc(u64 bytes) { CUdeviceptr p; CK(cuMemAlloc(&p, bytes ? bytes : 8)); return p; }
static void fill(CUdeviceptr t, u64 count, u64 base, u64 step, u64 scale, u32 lp, u32 li, u32 lj, u32 fl, u32 rl) { void *a[] = {&t, &count, &base, &step, &scale, &lp, &li, &lj, &fl, &rl}; CK(cuLaunchKernel(fill_fn, (count + 255) / 256, 1, 1, 256, 1, 1, 0, 0, a, 0)); }
static CUdeviceptr table(const Table &t) { if (!t.kind) return 0;
    if (t.kind == 2) { u64 c = 1ull << (t.log_period + t.log_replicas); CUdeviceptr p = alloc(c * 8); fill(p, c, t.base, t.step, t.scale, t.log_period, t.li, t.lj, t.flags, t.rev_log); return p; }
    u32 hi = t.log_period - t.lo; u64 stride = (1ull << t.lo) + (1ull << hi); CUdeviceptr p = alloc((stride << t.log_replicas) * 8);
    for (u32 r = 0; r < 1u << t.log_replicas; r++) { u64 b = pmul(t.base, ppow(t.step, t.rev_log ? prev(r, t.rev_log) : r)); fill(p + r * stride * 8, 1ull << t.lo, b, 1, t.scale, t.lo, 0, t.lo, 0, 0); fill(p + (r * stride + (1ull << t.lo)) * 8, 1ull << hi, ppow(b, 1ull << t.lo), 1, 1, hi, 0, hi, 0, 0); }
    return p; }
struct Ready { std::vector<Launch> l; std::vector<CUfunction> f; std::vector<CUdeviceptr> inner, pre, post; };
static Ready prepare(const Request &q, const u32 *mg, char form) { Ready r; r.l = make_plan(q); for (size_t i = 0; i < r.l.size(); i++) { r.f.push_back(fn(kname(r.l[i], mg[i], form))); auto v = inner_table(r.l[i]); CUdeviceptr p = alloc(v.size() * 8); CK(cuMemcpyHtoD(p, v.data(), v.size() * 8)); r.inner.push_back(p); r.pre.push_back(table(r.l[i].pre)); r.post.push_back(table(r.l[i].post)); } return r; }
static void release(Ready &r) { for (auto p : r.inner) cuMemFree(p); for (auto p : r.pre) if (p) cuMemFree(p); for (auto p : r.post) if (p) cuMemFree(p); }
static void launch(Ready &r, CUdeviceptr *buf, CUstream st) { for (size_t i = 0; i < r.l.size(); i++) { Launch &l = r.l[i]; void *a[] = {&buf[l.src], &buf[l.dst], &r.inner[i], &r.pre[i], &r.post[i], &l.args}; CK(cuLaunchKernel(r.f[i], l.groups, 1, 1, l.threads, 1, 1, 0, st, a, 0)); } }
static u64 rnd(std::mt19937_64 &g) { return g() % GLP; }
int main(int argc, char **argv) {
    dir = argc > 1 ? argv[1] : "."; setvbuf(stdout, 0, _IOLBF, 0); cases();
    CK(cuInit(0)); CUdevice dev; CUcontext ctx; CK(cuDeviceGet(&dev, 0)); CK(cuDevicePrimaryCtxRetain(&ctx, dev)); CK(cuCtxSetCurrent(ctx));
    CUstream st; CK(cuStreamCreate(&st, CU_STREAM_NON_BLOCKING)); std::mt19937_64 g(11);
    const u64 big = 1ull << 28; CUdeviceptr A = alloc(big * 8), B = alloc(big * 8), S = alloc(big * 8);
    int bad = 0, done = 0;
    for (auto &c : checks) {
        Request &q = c.q; u64 n = 1ull << q.k, m = n << q.lb; u32 K = q.k + q.lb; u64 cols = q.batch * q.width;
        std::vector<u64> d(n * cols), got(m * cols), want(m * cols); int mode = done % 9;
        for (auto &x : d) x = mode == 7 ? GLP - 1 : mode == 8 ? (g() & 1 ? 0xffffffffull : GLP - 1 - (g() & 3)) : rnd(g);
        Ready r = prepare(q, c.mg, 'd'); CK(cuMemcpyHtoD(A, d.data(), d.size() * 8)); CK(cuMemsetD32(B, 0xdeadbeef, got.size() * 2)); CK(cuMemsetD32(S, 0xdeadbeef, got.size() * 2));
        CUdeviceptr buf[3] = {A, B, S}; CK(cuStreamSynchronize(0)); launch(r, buf, st); CK(cuStreamSynchronize(st)); CK(cuMemcpyDtoH(got.data(), B, got.size() * 8)); release(r);
        u64 s = q.inverse ? pinv(q.shift) : q.shift, ni = q.inverse ? pinv(n) : 1;
        for (u64 b = 0; b < q.batch; b++) for (u32 col = 0; col < q.width; col++) { std::vector<u64> v(m, 0);
            u64 p = 1; for (u64 i = 0; i < n; i++, p = pmul(p, s)) { u64 x = d[(b * n + (q.in_rev ? prev(i, q.k) : i)) * q.width + col]; v[i] = q.inverse ? x : pmul(x, p); }
            reference(v.data(), K, q.inverse ? pinv(q.root) : q.root);
            if (q.inverse) { p = ni; for (u64 i = 0; i < n; i++, p = pmul(p, s)) v[i] = pmul(v[i], p); }
            for (u64 i = 0; i < m; i++) want[(b * m + (q.out_rev ? prev(i, K) : i)) * q.width + col] = v[i]; }
        done++; u64 diff = 0; for (u64 i = 0; i < got.size(); i++) diff += got[i] != want[i];
        if (diff) { bad++; printf("BAD k %u lb %u inv %u ir %u or %u w %u batch %lu full %u: %lu of %zu\n", q.k, q.lb, q.inverse, q.in_rev, q.out_rev, q.width, (unsigned long)q.batch, q.full_limit, (unsigned long)diff, got.size()); }
    }
    printf("checks against radix-2: %d, bad %d\n", done, bad);
    std::vector<u64> host(1ull << 26); for (auto &x : host) x = rnd(g);
    CK(cuMemcpyHtoD(A, host.data(), host.size() * 8));
    printf("%-28s %9s %9s %9s  %s\n", "transform", "stream", "graph us", "target", "check");
    for (auto &c : timing) {
        Request &q = c.q; u64 n = 1ull << q.k, m = n << q.lb, cols = q.batch * q.width; Ready r = prepare(q, c.mg, c.form), iv; Request qi;
        CUdeviceptr buf[3] = {A, B, S}, ibuf[3] = {A, S, B}; if (c.lde) { qi = inverse_of(c); iv = prepare(qi, c.mg, c.form); buf[0] = S; buf[2] = A; }
        auto go = [&](CUstream s) { if (c.lde) launch(iv, ibuf, s); launch(r, buf, s); };
        CK(cuMemsetD32(B, 0xdeadbeef, m * cols * 2)); CK(cuCtxSynchronize()); go(st); CK(cuStreamSynchronize(st));
        // direct evaluation of three points of one column
        u64 col = g() % cols, b = col / q.width, cc = col % q.width; std::vector<u64> x(n); std::string ok = "ok";
        for (u64 i = 0; i < n; i++) x[i] = host[(b * n + i) * q.width + cc];
        if (c.lde) { u64 w = pinv(qi.root); reference(x.data(), q.k, w); u64 ni = pinv(n); for (auto &e : x) e = pmul(e, ni); }
        else if (q.in_rev) { std::vector<u64> y(n); for (u64 i = 0; i < n; i++) y[i] = x[prev(i, q.k)]; x = y; }
        for (int t = 0; t < 3; t++) { u64 i = g() % m, e = pmul(q.inverse ? 1 : q.shift, ppow(q.inverse ? pinv(q.root) : q.root, i)), v = 0; for (u64 j = n; j-- > 0;) v = padd(pmul(v, e), x[j]); if (q.inverse) v = pmul(v, pinv(n));
            u64 at = q.out_rev ? prev(i, q.k + q.lb) : i, o; CK(cuMemcpyDtoH(&o, B + ((b * m + at) * q.width + cc) * 8, 8)); if (o != v) { ok = "BAD"; bad++; } }
        if (n <= 1 << 20 && cols == 1 && !q.in_rev && !q.out_rev && !q.inverse) { std::vector<u64> y(x), o(n); reference(y.data(), q.k, q.root); CK(cuMemcpyDtoH(o.data(), B, n * 8)); if (y != o) { ok = "BAD all"; bad++; } else ok = "ok all"; }
        CUevent e0, e1; cuEventCreate(&e0, 0); cuEventCreate(&e1, 0);
        CUgraph gr; CUgraphExec ge; const int inner = m * cols >= (1 << 22) ? 1 : 10;
        CK(cuStreamBeginCapture(st, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL)); for (int i = 0; i < inner; i++) go(st); CK(cuStreamEndCapture(st, &gr)); CK(cuGraphInstantiate(&ge, gr, 0));
        float ms[2]; for (int mode = 0; mode < 2; mode++) { std::vector<float> t; for (int i = 0; i < 18; i++) { CK(cuEventRecord(e0, st)); if (mode) CK(cuGraphLaunch(ge, st)); else for (int j = 0; j < inner; j++) go(st); CK(cuEventRecord(e1, st)); CK(cuEventSynchronize(e1)); float f; cuEventElapsedTime(&f, e0, e1); if (i >= 4) t.push_back(f / inner); } std::sort(t.begin(), t.end()); ms[mode] = t[t.size() / 2] * 1000; }
        printf("%-28s %9.1f %9.1f %9.0f  %s  passes:", c.name, ms[0], ms[1], c.target, ok.c_str());
        // each pass alone
        auto alone = [&](Ready &z, CUdeviceptr *bf) { for (size_t i = 0; i < z.l.size(); i++) { std::vector<float> t; for (int j = 0; j < 8; j++) { Ready one; one.l = {z.l[i]}; one.f = {z.f[i]}; one.inner = {z.inner[i]}; one.pre = {z.pre[i]}; one.post = {z.post[i]}; CK(cuEventRecord(e0, st)); launch(one, bf, st); CK(cuEventRecord(e1, st)); CK(cuEventSynchronize(e1)); float f; cuEventElapsedTime(&f, e0, e1); t.push_back(f); } std::sort(t.begin(), t.end()); printf(" %.1f", t[4] * 1000); } };
        if (m * cols >= 1 << 20) { if (c.lde) { alone(iv, ibuf); printf(" |"); } alone(r, buf); } printf("\n");
        cuGraphExecDestroy(ge); cuGraphDestroy(gr); release(r); if (c.lde) release(iv);
    }
    printf("bad in all %d\n", bad); return bad != 0;
}
#endif
