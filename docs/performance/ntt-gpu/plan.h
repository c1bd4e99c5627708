// Plans: for a transform's size, orders, direction, shift and width the launches, their arguments and their tables. Host side, plain C++.
#pragma once
#include <cstdint>
#include <cstring>
#include <cstdlib>
#include <vector>
typedef uint64_t P64;
typedef unsigned __int128 P128;
static const P64 GLP = 0xffffffff00000001ull;
static inline P64 pmul(P64 a, P64 b) {
    P128 x = (P128)a * b; P64 lo = (P64)x, hi = (P64)(x >> 64), top = hi >> 32, r = lo - top;
    if (lo < top) r -= 0xffffffffull;
    P64 t = (hi & 0xffffffffull) * 0xffffffffull, s = r + t;
    if (s < t) s += 0xffffffffull;
    return s >= GLP ? s - GLP : s;
}
static inline P64 padd(P64 a, P64 b) { P64 c = GLP - b; return a >= c ? a - c : a + b; }
static inline P64 ppow(P64 a, P64 e) { P64 r = 1; for (; e; e >>= 1, a = pmul(a, a)) if (e & 1) r = pmul(r, a); return r; }
static inline P64 pinv(P64 a) { return ppow(a, GLP - 2); }
static inline uint32_t prev(uint32_t x, int bits) { uint32_t r = 0; for (int i = 0; i < bits; i++) r |= ((x >> i) & 1) << (bits - 1 - i); return r; }

struct PassArgs { // NttPass of ntt.cl
    P64 total, magic, in_off[16], pre_off[16], out_off[16], src_size, dst_size, in_mask, pre_mask, post_mask;
    uint32_t width, lx, in_drop, in_a, in_digits, out_a, out_rev, flags, pre_shift, i0_shift, i0_mask, pre_stride, pre_li, pre_lj, pre_up, pre_lo, post_log, post_lo, mid_off[16], last_off[16], out_row[16];
};
enum { F_CANONICAL = 1, F_ROWS_IN_REV = 2, F_ROWS_OUT_REV = 4, F_I_LOW = 8, F_I_REV = 16, F_J_REV = 32, F_POST_REV = 64 };
// Filled by the kernel ntt_fill: table[i] = scale (base step^replica)^e(i).
struct Table { // kind 0: none, 2: full, 3: two-level (a low table of 2^lo words with e < 2^lo, then base^(2^lo e) for e < 2^(log_period - lo))
    uint32_t kind, log_period, li, lj, flags, rev_log, log_replicas, lo;
    P64 base, step, scale;
};
struct Shape { uint32_t lr1, lr2, lr3, lc, pre, post, in_rows, out_rows; };
struct Launch {
    Shape shape; PassArgs args; Table pre, post;
    P64 tile_root; // of order T: contents of the inner table
    uint32_t g_inverse;
    uint32_t src, dst; // 0 source, 1 destination, 2 scratch
    P64 groups; uint32_t threads, pad;
};
struct Request {
    P64 root, shift, batch; // root: of order 2^(k + lb)
    uint32_t k, lb, inverse, in_rev, out_rev, width, full_limit; // tables of more than 2^full_limit words become two-level
    uint32_t nf, f[4], lc[4]; // nf = 0: choose; lc = 0: choose
};
static inline void default_layers(int t, Shape *s) {
    static const int L[11][3] = {{0,0,0},{1,0,0},{2,0,0},{3,0,0},{4,0,0},{3,2,0},{3,3,0},{4,3,0},{4,4,0},{3,3,3},{4,3,3}};
    static const int C[11] = {7,7,7,7,7,5,4,4,3,2,2};
    s->lr1 = L[t][0]; s->lr2 = L[t][1]; s->lr3 = L[t][2]; s->lc = C[t];
}
static inline int default_factors(int k, uint32_t *f) {
    static const int F[33][4] = {{0},{1},{2},{3},{4},{5},{6},{7},{8},{9},{10},{6,5},{6,6},{7,6},{7,7},{8,7},{8,8},{9,8},{9,9},{10,9},{10,10},
        {7,7,7},{8,6,8},{8,7,8},{8,8,8},{9,8,8},{10,8,8},{9,9,9},{10,9,9},{10,10,9},{10,10,10},{8,8,8,7},{8,8,8,8}};
    int n = 0; for (int i = 0; i < 4 && F[k][i]; i++) f[n++] = F[k][i];
    if (n == 0) { f[0] = 0; n = 1; }
    return n;
}
static inline std::vector<Launch> make_plan(const Request &q) {
    std::vector<Launch> out;
    const int k = q.k, lb = q.lb, K = k + lb;
    P64 root_m = q.inverse ? pinv(q.root) : q.root, w = ppow(root_m, 1ull << lb);
    P64 n = 1ull << k, n_inverse = pinv((P64)(((P128)1 << k) % GLP));
    const int kk = k < 4 ? k : 4;
    P64 w16 = ppow(w, 1ull << (k - kk)), shift_root = ppow(2, 192 >> kk);
    uint32_t g = 1; while (kk > 0 && ppow(shift_root, g) != w16) g += 2;
    uint32_t gi = 1; while ((g * gi) % 16 != 1) gi += 2;
    uint32_t f[4]; int m = q.nf;
    if (m) for (int i = 0; i < m; i++) f[i] = q.f[i]; else m = default_factors(k, f);
    const bool transposing = q.in_rev == q.out_rev;
    std::vector<int> d; int done = 0, fdone = 0;
    if (lb) { d.push_back(lb); done = lb; }
    for (int i = 0; i < m; i++) {
        Launch l; memset(&l, 0, sizeof l);
        const int t = f[i]; const bool first = i == 0, last = i == m - 1;
        default_layers(t, &l.shape);
        // lc: columns, 0 for the default, 16 for a single column; + 256: radix 8 at most (more, smaller threads)
        const bool narrow = (q.lc[i] & 256) || (!q.lc[i] && K <= 17 && q.batch * q.width == 1);
        if (narrow && t == 7) l.shape.lr1 = 3, l.shape.lr2 = 2, l.shape.lr3 = 2;
        if (narrow && t == 8) l.shape.lr1 = 3, l.shape.lr2 = 3, l.shape.lr3 = 2;
        if (narrow && t == 4) l.shape.lr1 = 2, l.shape.lr2 = 2;
        if (q.lc[i]) l.shape.lc = q.lc[i] & 15;
        else if (narrow && t > 4) { int c = K - t - 7; l.shape.lc = c < 1 ? (K == t ? 0 : 1) : c > 5 ? 5 : c; }
        PassArgs &a = l.args; Shape &s = l.shape;
        const int lrl = s.lr3 ? s.lr3 : s.lr2 ? s.lr2 : s.lr1, rem = K - done - t;
        a.lx = K - t; a.width = q.width; a.total = (q.batch * q.width) << a.lx;
        a.magic = q.width == 1 ? 0 : (P64)((((P128)1 << 64) + q.width - 1) / q.width);
        a.src_size = 1ull << (first ? k : K); a.dst_size = 1ull << K;
        a.in_mask = (1ull << a.lx) - 1;
        if (!q.in_rev) {
            if (last && !q.out_rev) {
                a.out_a = a.lx; a.in_a = 0;
                if (first) a.in_mask = 0; // K - t = lb: only the replica is left
                else for (size_t j = 0; j < d.size(); j++) a.in_digits |= d[j] << (8 * j);
                if (first && lb == 0) a.in_mask = 0;
            } else {
                a.in_a = a.out_a = rem;
                if (first) a.in_mask = (1ull << rem) - 1;
                a.i0_shift = rem;
            }
            if (q.out_rev) a.flags |= F_ROWS_OUT_REV;
        } else {
            a.flags |= F_ROWS_IN_REV;
            a.in_a = a.out_a = done;
            if (first) { a.in_drop = lb; a.in_a = 0; }
            if (last && q.out_rev) { a.out_rev = 1; a.out_a = 0; a.flags |= F_ROWS_OUT_REV; }
        }
        a.i0_mask = (first && lb) ? (1u << lb) - 1 : 0;
        if (last) a.flags |= F_CANONICAL;
        // tables
        if (first) {
            if (lb || (!q.inverse && q.shift != 1)) {
                Table &p = l.pre; p.kind = K > (int)q.full_limit ? 3 : 2;
                p.log_period = k; p.lj = k; p.flags = q.in_rev ? F_J_REV : 0; p.base = q.shift; p.step = root_m; p.scale = 1;
                p.log_replicas = lb; p.rev_log = (!q.in_rev && q.out_rev) ? lb : 0; p.lo = (k + 1) / 2;
            }
            a.pre_mask = n - 1;
        } else {
            const int li = f[i - 1], lj = k - fdone;
            Table &p = l.pre; p.kind = li + lj > (int)q.full_limit ? 3 : 2;
            p.log_period = li + lj; p.li = li; p.lj = lj; p.base = ppow(w, 1ull << (k - li - lj)); p.step = 1; p.scale = (i == 1 && q.inverse) ? n_inverse : 1;
            p.lo = (li + lj + 1) / 2;
            if (q.in_rev) { p.flags = F_I_LOW | F_J_REV; a.pre_shift = done - li; }
            else if (q.out_rev) p.flags = F_I_REV;
            a.pre_mask = (1ull << (li + lj)) - 1;
        }
        if (l.pre.kind == 3) { a.flags |= l.pre.flags; a.pre_li = l.pre.li; a.pre_lj = l.pre.lj; a.pre_lo = l.pre.lo;
            a.pre_stride = (1u << l.pre.lo) + (1u << (l.pre.log_period - l.pre.lo)); }
        else a.pre_stride = 1u << l.pre.log_period;
        if (last && q.inverse && (q.shift != 1 || (m == 1 && k > 0))) {
            Table &p = l.post; p.kind = k > (int)q.full_limit ? 3 : 2;
            p.log_period = k; p.lj = k; p.flags = q.out_rev ? F_J_REV : 0; p.base = pinv(q.shift); p.step = 1; p.scale = m == 1 ? n_inverse : 1; p.lo = (k + 1) / 2;
            a.post_mask = n - 1; a.post_log = k; a.post_lo = p.lo;
            if (q.out_rev) a.flags |= F_POST_REV;
        }
        s.pre = l.pre.kind; s.post = l.post.kind;
        s.in_rows = a.in_a == 0 && q.width <= 2; s.out_rows = a.out_a == 0 && q.width <= 2;
        if (t == 0) s.in_rows = s.out_rows = 0;
        // Register r of a layer holds row digit (inverse of g) r, for w is the (2^(192/R))^g with which the butterflies cannot compute.
        for (uint32_t r = 0; r < 16; r++) {
            if (r < 1u << s.lr1) {
                uint32_t v = (gi * r) & ((1u << s.lr1) - 1);
                P64 row = q.in_rev ? prev(v, s.lr1) : (P64)v << (t - s.lr1);
                a.in_off[r] = (row << a.in_a) * q.width; a.pre_off[r] = (row << a.in_a) >> a.pre_shift;
            }
            if (r < 1u << lrl) {
                a.out_row[r] = (a.flags & F_ROWS_OUT_REV) ? prev(r, lrl) : r << (t - lrl);
                a.out_off[r] = ((P64)a.out_row[r] << a.out_a) * q.width;
                a.last_off[r] = (gi * r) & ((1u << lrl) - 1);
            }
            if (s.lr3 && r < 1u << s.lr2) a.mid_off[r] = ((gi * r) & ((1u << s.lr2) - 1)) * ((1u << s.lr3) + 1);
        }
        l.tile_root = ppow(w, 1ull << (k - t)); l.g_inverse = gi;
        l.src = first ? 0 : (transposing ? 2 : 1); l.dst = last ? 1 : (transposing ? 2 : 1);
        const int lp = s.lr1 > s.lr2 ? (s.lr1 > s.lr3 ? s.lr1 : s.lr3) : (s.lr2 > s.lr3 ? s.lr2 : s.lr3);
        l.threads = 1u << (t + s.lc - lp);
        l.groups = (a.total + (1ull << s.lc) - 1) >> s.lc;
        out.push_back(l);
        d.push_back(t); done += t; fdone += t;
    }
    return out;
}
// The inner table: layer 2 of T at (k1, t'', r), then layer 3 at T + (k2, r).
static inline std::vector<P64> inner_table(const Launch &l) {
    const Shape &s = l.shape; const int t = s.lr1 + s.lr2 + s.lr3; std::vector<P64> v;
    if (s.lr2 == 0) { v.push_back(1); v.push_back(1); return v; }
    std::vector<P64> pw(1u << t); P64 x = 1; for (auto &e : pw) { e = x; x = pmul(x, l.tile_root); }
    const uint32_t mask = (1u << t) - 1; const int lq2 = s.lr3;
    for (uint32_t q = 0; q < 1u << (t - s.lr2); q++) for (uint32_t r = 0; r < 1u << s.lr2; r++) {
        uint32_t k1 = q >> lq2, tt = q & ((1u << lq2) - 1), t2 = (l.g_inverse * r) & ((1u << s.lr2) - 1);
        v.push_back(pw[(k1 * ((t2 << lq2) + tt)) & mask]);
    }
    if (s.lr3) for (uint32_t k2 = 0; k2 < 1u << s.lr2; k2++) for (uint32_t r = 0; r < 1u << s.lr3; r++) {
        uint32_t t3 = (l.g_inverse * r) & ((1u << s.lr3) - 1);
        v.push_back(pw[((k2 * t3) << s.lr1) & mask]);
    }
    return v;
}
extern "C" {
#ifdef PLAN_LIB
int plan(const Request *q, Launch *out, int max) { auto v = make_plan(*q); int i = 0; for (auto &l : v) if (i < max) out[i++] = l; return i; }
int inner(const Launch *l, P64 *out) { auto v = inner_table(*l); memcpy(out, v.data(), v.size() * 8); return (int)v.size(); }
// In-place radix-2 reference: natural in and out.
void reference(P64 *a, int k, P64 root) {
    P64 n = 1ull << k;
    for (P64 i = 0; i < n; i++) { P64 j = prev(i, k); if (i < j) { P64 t = a[i]; a[i] = a[j]; a[j] = t; } }
    for (int s = 1; s <= k; s++) { P64 m = 1ull << s, w = ppow(root, 1ull << (k - s));
        std::vector<P64> pw(m / 2); P64 x = 1; for (auto &e : pw) { e = x; x = pmul(x, w); }
        for (P64 b = 0; b < n; b += m) for (P64 j = 0; j < m / 2; j++) { P64 u = a[b + j], t = pmul(a[b + j + m / 2], pw[j]); a[b + j] = padd(u, t); a[b + j + m / 2] = padd(u, GLP - t); } }
}
int sizes(int which) { return which == 0 ? sizeof(Request) : which == 1 ? sizeof(Launch) : sizeof(PassArgs); }
#endif
}
