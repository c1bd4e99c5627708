// One pass of a transform over a prime field; `src/backend/gpu/fft/plan.rs` says which passes make one.
//
// A transform of n points is a tree of remainders. At stage m (1, 2, 4, ..., n / 2) there are m blocks of n / m points, each the remainder of a
// polynomial modulo X^(n/m) - z^2, and block i becomes two: modulo X^(n/2m) - z and modulo X^(n/2m) + z, with z = twiddles[m, i]. So pairs
// at half a block's distance go to (u + z v, u - z v), natural order to bit-reversed order (decimation in time, by Cooley and Tukey's butterflies).
// With FFT_INVERSE stages are done in the opposite order, by Gentleman and Sande's butterflies (decimation in frequency): (u + v, (u - v) z),
// bit-reversed to natural, n times the inverse if the twiddles are inverted.
//
// A pass does `log_tile` stages of columns of 2^log_tile points at a distance of 2^log_stride. A group has 2^log_columns columns, an item
// four points of one at a time, on which it does two stages (the first stage alone where the number is odd); then all items
// exchange points through work-group memory. Points are below 4r in decimation in time, below 2r in decimation in frequency: what is multiplied may
// be anything below 5r.

// twiddles[m, i] and their quotients are at index i, because with a shift of 1 they do not depend on m, or with this flag at index m + i.
#define FLAG_COSET 1
// The input is read, the output written, in the order that the network does not have by itself.
#define FLAG_REVERSED_IN 2
#define FLAG_REVERSED_OUT 4
// Neighbouring columns are those with neighbouring bit-reversed numbers.
#define FLAG_REVERSED_COLUMN 8
// Outputs are below r; are divided by n.
#define FLAG_CANONICAL 16
#define FLAG_DIVIDE 32

// Where point r of a column is, and of which block it is a part.
typedef struct {
    u64 polynomial;
    u32 block, start;
} Column;

DEVICE Column column_of(u64 y, u32 log_size, u32 log_tile, u32 log_stride, u32 flags) {
    const u32 log_columns = log_size - log_tile;
    u32 x = (u32)y & (((u32)1 << log_columns) - 1);
    if (flags & FLAG_REVERSED_COLUMN) x = reverse_bits(x, log_columns);
    Column column;
    column.polynomial = y >> log_columns;
    column.block = x >> log_stride;
    column.start = (column.block << (log_stride + log_tile)) + (x & (((u32)1 << log_stride) - 1));
    return column;
}

// x / 2^k modulo r, for k from 1 to 31: the multiple of r is added that makes the sum divisible.
DEVICE fe divide_by_power(fe x, u32 k) {
    const u32 m = x.limb[0] * FR_INVERSE & (((u32)1 << k) - 1);
    fe r;
    u64 sum = x.limb[0] + mul_wide(m, FR_P.limb[0]);
    u32 low = (u32)sum;
    UNROLL
    for (int i = 1; i < 8; i++) {
        sum = (sum >> 32) + x.limb[i] + mul_wide(m, FR_P.limb[i]);
        r.limb[i - 1] = low >> k | (u32)sum << (32 - k);
        low = (u32)sum;
    }
    r.limb[7] = low >> k | (u32)(sum >> 32) << (32 - k);
    return r;
}

DEVICE fe load_point(GLOBAL const fe *input, Column column, u32 r, u32 log_size, u32 log_input, u32 log_stride, u32 flags) {
    u32 at = column.start + (r << log_stride);
    if (flags & FLAG_REVERSED_IN) at = reverse_bits(at, log_size);
    at &= ((u32)1 << log_input) - 1;
    return load_fe(input + ((column.polynomial << log_input) + at));
}

// A point below twice the bound, which it is with a lazy prime alone, brought below the bound.
DEVICE fe lazy_bounded(fe x) {
#if FR_LAZY
    return fr_bounded(x);
#else
    return x;
#endif
}

// a + b and a - b, for a product b: below twice the bound with a lazy prime, else below the bound.
DEVICE fe lazy_sum(fe a, fe b) {
#if FR_LAZY
    return fe_add(a, b);
#else
    return fr_add(a, b);
#endif
}

DEVICE fe lazy_difference(fe a, fe b) {
#if FR_LAZY
    u32 borrow;
    return fe_sub(fe_add(a, FR_BOUND), b, &borrow);
#else
    return fr_sub(a, b);
#endif
}

DEVICE void store_point(GLOBAL fe *output, Column column, u32 r, fe x, u32 log_size, u32 log_stride, u32 flags) {
    u32 at = column.start + (r << log_stride);
    if (flags & FLAG_REVERSED_OUT) at = reverse_bits(at, log_size);
    if (flags & FLAG_DIVIDE) x = divide_by_power(x, log_size);
    if (flags & FLAG_CANONICAL) x = fr_canonical(lazy_bounded(x));
    store_fe(output + ((column.polynomial << log_size) + at), x);
}

// An index in work-group memory, swizzled so that eight neighbouring items never meet in a bank, whatever the distance of their points.
DEVICE u32 swizzled(u32 e) { return e ^ (e >> 2 & 6) ^ (e >> 4 & 1); }

DEVICE fe load_tile(LOCAL_POINTER const uint4 *tile, u32 e) {
    const uint4 low = tile[swizzled(e)], high = tile[FFT_TILE + swizzled(e)];
    fe x;
    x.limb[0] = low.x, x.limb[1] = low.y, x.limb[2] = low.z, x.limb[3] = low.w;
    x.limb[4] = high.x, x.limb[5] = high.y, x.limb[6] = high.z, x.limb[7] = high.w;
    return x;
}

DEVICE void store_tile(LOCAL_POINTER uint4 *tile, u32 e, fe x) {
    uint4 low, high;
    low.x = x.limb[0], low.y = x.limb[1], low.z = x.limb[2], low.w = x.limb[3];
    high.x = x.limb[4], high.y = x.limb[5], high.z = x.limb[6], high.w = x.limb[7];
    tile[swizzled(e)] = low;
    tile[FFT_TILE + swizzled(e)] = high;
}

#if FFT_INVERSE
#define PASS fft_inverse
#define SMALL fft_inverse_small

DEVICE void butterfly(fe *u, fe *v, GLOBAL const fe *twiddle, u32 trivial) {
    const fe sum = fr_add(*u, *v), difference = lazy_difference(*u, *v);
    *u = sum;
    *v = trivial ? lazy_bounded(difference) : mul_twiddle(difference, load_fe(twiddle), load_fe(twiddle + 1));
}
#else
#define PASS fft_forward
#define SMALL fft_forward_small

DEVICE void butterfly(fe *u, fe *v, GLOBAL const fe *twiddle, u32 trivial) {
    const fe first = lazy_bounded(*u);
    const fe product = trivial ? lazy_bounded(*v) : mul_twiddle(*v, load_fe(twiddle), load_fe(twiddle + 1));
    *u = lazy_sum(first, product);
    *v = lazy_difference(first, product);
}
#endif

// Two stages of a pass, or its stage 0 alone: an item has rows `row`, `row` + 2^log_low and so on of its column, of block `high` at the first
// of the stages.
typedef struct {
    u32 stage, alone, log_low, high, row;
} Layer;

DEVICE Layer layer_of(u32 number, u32 log_tile, u32 w) {
    const u32 odd = log_tile & 1, down = FFT_INVERSE ? (log_tile - 1) / 2 - number : number;
    Layer layer;
    layer.alone = odd && down == 0;
    layer.stage = layer.alone ? 0 : 2 * down - odd;
    layer.log_low = log_tile - 2 - layer.stage;
    layer.high = w >> layer.log_low;
    layer.row = (layer.high << (layer.log_low + 2)) + (w & (((u32)1 << layer.log_low) - 1));
    return layer;
}

// `total` columns of polynomials of 2^log_size points, 2^log_input coefficients each in the input.
BOUNDED_KERNEL(FFT_TILE / 4, FFT_GROUPS)
PASS(BUFFER(const fe, input), BUFFER(fe, output), BUFFER(const fe, twiddles), u64 total, u64 log_size_, u64 log_input_,
     u64 log_tile_, u64 log_stride_, u64 log_columns_, u64 flags_) {
    LOCAL uint4 tile[2 * FFT_TILE];
    const u32 log_size = (u32)log_size_, log_input = (u32)log_input_, log_tile = (u32)log_tile_;
    const u32 log_stride = (u32)log_stride_, log_columns = (u32)log_columns_, flags = (u32)flags_;
    const u32 item = (u32)local_id(), columns = (u32)1 << log_columns;
    const u64 first = group_id() << log_columns;
    const u32 c = item & (columns - 1), w = item >> log_columns;
    // A partial last group repeats its last column and does not store it.
    const u64 y = first + c;
    const Column column = column_of(y < total ? y : total - 1, log_size, log_tile, log_stride, flags);
    const u32 stages = log_size - log_stride - log_tile, coset = flags & FLAG_COSET;
    const u32 layers = (log_tile + 1) / 2;

    fe x[4];
    Layer layer = layer_of(0, log_tile, w);
    UNROLL
    for (u32 d = 0; d < 4; d++)
        x[d] = load_point(AT(input), column, layer.row + (d << layer.log_low), log_size, log_input, log_stride, flags);
    NO_UNROLL
    for (u32 number = 0; number < layers; number++) {
        const u32 i = (column.block << layer.stage) + layer.high, m = coset ? (u32)1 << (stages + layer.stage) : 0;
        const u32 trivial = !coset && i == 0;
        GLOBAL const fe *outer = AT(twiddles) + 2 * (u64)(m + i), *inner = AT(twiddles) + 4 * (u64)(m + i);
#if FFT_INVERSE
        if (!layer.alone) {
            butterfly(&x[0], &x[1], inner, trivial);
            butterfly(&x[2], &x[3], inner + 2, 0);
        }
        butterfly(&x[0], &x[2], outer, trivial);
        butterfly(&x[1], &x[3], outer, trivial);
#else
        butterfly(&x[0], &x[2], outer, trivial);
        butterfly(&x[1], &x[3], outer, trivial);
        if (!layer.alone) {
            butterfly(&x[0], &x[1], inner, trivial);
            butterfly(&x[2], &x[3], inner + 2, 0);
        }
#endif
        // Nothing is exchanged behind the last layer; but no barrier may stand in a branch.
        const u32 more = number + 1 < layers;
        if (more) {
            UNROLL
            for (u32 d = 0; d < 4; d++) store_tile(tile, (layer.row + (d << layer.log_low) << log_columns) + c, x[d]);
        }
        BARRIER();
        if (more) {
            layer = layer_of(number + 1, log_tile, w);
            UNROLL
            for (u32 d = 0; d < 4; d++) x[d] = load_tile(tile, (layer.row + (d << layer.log_low) << log_columns) + c);
        }
    }
    if (y < total) {
        UNROLL
        for (u32 d = 0; d < 4; d++)
            store_point(AT(output), column, layer.row + (d << layer.log_low), x[d], log_size, log_stride, flags);
    }
}

// The same for columns of one or two points, which an item does by itself.
KERNEL void SMALL(BUFFER(const fe, input), BUFFER(fe, output), BUFFER(const fe, twiddles), u64 total, u64 log_size_,
                  u64 log_input_, u64 log_tile_, u64 log_stride_, u64 flags_) {
    const u32 log_size = (u32)log_size_, log_input = (u32)log_input_, log_tile = (u32)log_tile_;
    const u32 log_stride = (u32)log_stride_, flags = (u32)flags_;
    FOR_EACH(y, total) {
        const Column column = column_of(y, log_size, log_tile, log_stride, flags);
        fe u = load_point(AT(input), column, 0, log_size, log_input, log_stride, flags);
        if (log_tile) {
            fe v = load_point(AT(input), column, 1, log_size, log_input, log_stride, flags);
            const u32 m = flags & FLAG_COSET ? (u32)1 << (log_size - log_stride - log_tile) : 0;
            butterfly(&u, &v, AT(twiddles) + 2 * (m + column.block), 0);
            store_point(AT(output), column, 1, v, log_size, log_stride, flags);
        }
        store_point(AT(output), column, 0, u, log_size, log_stride, flags);
    }
}
