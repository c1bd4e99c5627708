// A plain transform: scatter into bit-reversed order, one pass over the data for each of the log2 n layers, and a gather
// into the order asked for. Data are blocks of n rows by `width` words; an item is one word or one butterfly.
//
// Powers come from two tables: base^e = high[e >> bits] low[e mod 2^bits].

DEVICE u64 ntt_power(GLOBAL const u64 *table, u64 bits, u64 e) {
    return gl_mul(table[((u64)1 << bits) + (e >> bits)], table[e & (((u64)1 << bits) - 1)]);
}

DEVICE u64 ntt_reverse(u64 index, u64 bits) {
    u64 reversed = 0;
    for (u64 k = 0; k < bits; ++k) reversed |= ((index >> k) & 1) << (bits - 1 - k);
    return reversed;
}

// output[reversed i] = scale s^i input[i] for the rows i of every block, and zero past the input's rows. `reversed_input`
// says that row i of the input stands at the reversed index (among its own rows).
KERNEL void ntt_scatter(BUFFER(const u64, input), u64 log_input, u64 reversed_input, BUFFER(u64, output), u64 log_output,
                        u64 width, u64 blocks, u64 scaled, BUFFER(const u64, shifts), u64 bits) {
    u64 words = (width << log_output) * blocks;
    FOR_EACH(k, words) {
        u64 column = k % width, rest = k / width;
        u64 row = rest & (((u64)1 << log_output) - 1), block = rest >> log_output;
        u64 value = 0;
        if (row >> log_input == 0) {
            u64 from = reversed_input ? ntt_reverse(row, log_input) : row;
            value = AT(input)[((block << log_input) + from) * width + column];
            if (scaled) value = gl_mul(value, ntt_power(AT(shifts), bits, row));
        }
        AT(output)[((block << log_output) + ntt_reverse(row, log_output)) * width + column] = value;
    }
}

// Layer `layer` of decimation in time: butterflies of rows 2^layer apart, with twiddles w^(j n / 2^(layer + 1)).
KERNEL void ntt_layer(BUFFER(u64, data), u64 log_n, u64 layer, u64 width, u64 blocks, BUFFER(const u64, roots), u64 bits) {
    u64 butterflies = (width << (log_n - 1)) * blocks;
    FOR_EACH(k, butterflies) {
        u64 column = k % width, pair = k / width;
        u64 j = pair & (((u64)1 << layer) - 1);
        u64 row = (pair >> layer << (layer + 1)) | j;
        GLOBAL u64 *low = AT(data) + row * width + column;
        GLOBAL u64 *high = low + (width << layer);
        u64 a = *low, b = gl_mul(*high, ntt_power(AT(roots), bits, j << (log_n - 1 - layer)));
        *low = gl_add(a, b);
        *high = gl_sub(a, b);
    }
}

// output[i, or i reversed] = factor s^i input[i] for the rows i of every block.
KERNEL void ntt_gather(BUFFER(const u64, input), BUFFER(u64, output), u64 log_n, u64 reversed_output, u64 width, u64 blocks,
                       u64 scaled, u64 factor, BUFFER(const u64, shifts), u64 bits) {
    u64 words = (width << log_n) * blocks;
    FOR_EACH(k, words) {
        u64 column = k % width, rest = k / width;
        u64 row = rest & (((u64)1 << log_n) - 1), block = rest >> log_n;
        u64 value = gl_mul(AT(input)[k], factor);
        if (scaled) value = gl_mul(value, ntt_power(AT(shifts), bits, row));
        u64 to = reversed_output ? ntt_reverse(row, log_n) : row;
        AT(output)[((block << log_n) + to) * width + column] = value;
    }
}
