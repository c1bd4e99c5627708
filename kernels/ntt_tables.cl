// Tables of powers for the passes of transforms; `src/backend/gpu/ntt/tables.rs` says which.

// x^e.
DEVICE u64 ntt_power(u64 x, u64 e) {
    u64 power = 1;
    for (; e != 0; e >>= 1, x = gl_square(x)) {
        if (e & 1) power = gl_mul(power, x);
    }
    return power;
}

// table[replica 2^log_period + position] = scale (base step^replica)^e, where e is read off the position: the product of its two
// digits i and j, of 2^log_i and 2^log_j, or j alone where log_i is 0. i is the lower digit where `i_low`, else j; `i_reversed`
// and `j_reversed` say which are bit-reversed. With a `log_replicas` the replica's number is bit-reversed among so many bits. With a
// `log_low` it is the lower digit, of so many bits: table[position 2^log_low + replica].
// With a `log_j_step` digits stand for every 2^log_j_step-th number: table[replica 2^log_period + position] = scale base^(i j), with i_first + i 2^log_i_step for i and
// replica + j 2^log_j_step for j.
// Where log_tile is not 0, positions are not in order: in each tile of 2^log_tile, position q 2^log_radix + (r bit-reversed) stands at
// r 2^(log_tile - log_radix) + q.
KERNEL void ntt_fill(BUFFER(u64, table), u64 words, u64 base, u64 step, u64 scale, u64 log_period, u64 log_i, u64 log_j,
                     u64 i_low, u64 i_reversed, u64 j_reversed, u64 log_replicas, u64 log_low, u64 log_tile, u64 log_radix,
                     u64 i_first, u64 log_i_step, u64 log_j_step) {
    FOR_EACH(k, words) {
        u64 p = k & (((u64)1 << log_period) - 1);
        u32 replica = (u32)(k >> log_period);
        if (log_low) {
            p = k >> log_low;
            replica = (u32)(k & (((u64)1 << log_low) - 1));
        }
        if (log_replicas) replica = reverse_bits(replica, (u32)log_replicas);
        if (log_tile) {
            const u64 tile = p & (((u64)1 << log_tile) - 1);
            const u64 r = tile >> (log_tile - log_radix), q = tile & (((u64)1 << (log_tile - log_radix)) - 1);
            p = p - tile + (q << log_radix) + reverse_bits((u32)r, (u32)log_radix);
        }
        u32 i = (u32)(i_low ? p & (((u64)1 << log_i) - 1) : p >> log_j);
        u32 j = (u32)(i_low ? p >> log_i : p & (((u64)1 << log_j) - 1));
        if (i_reversed) i = reverse_bits(i, (u32)log_i);
        if (j_reversed) j = reverse_bits(j, (u32)log_j);
        u64 root = gl_mul(base, ntt_power(step, replica)), exponent = log_i ? (u64)i * j : j;
        if (log_j_step) {
            root = base;
            exponent = (i_first + ((u64)i << log_i_step)) * (replica + ((u64)j << log_j_step));
        }
        AT(table)[k] = gl_mul(scale, ntt_power(root, exponent));
    }
}
