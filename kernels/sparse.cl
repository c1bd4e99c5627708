// Products of sparse matrices with vectors (src/backend/gpu/sparse.rs).
//
// Rows are cut into pieces of a bounded number of entries. An item sums a piece; the sum is an element of the product, or a partial sum of a long
// row. Partial sums of a row lie side by side and are summed likewise, until a row has only one piece. Targets below `rows` are
// elements of the product, and others partial sums.

DEVICE void put(GLOBAL fe *product, GLOBAL fe *partial, u64 rows, u64 target, fe sum) {
    store_fe(target < rows ? product + target : partial + (target - rows), fr_canonical(sum));
}

// Piece i has the entries from starts[i] to before starts[i + 1]. The lower half of an entry is a column, the upper half the index of a
// value, of which the first two are 1 and -1.
KERNEL void sum_entries(BUFFER(const u64, entries), BUFFER(const fe, values), BUFFER(const u64, starts), BUFFER(const u64, targets),
                        BUFFER(const fe, vector), BUFFER(fe, product), BUFFER(fe, partial), u64 rows, u64 count) {
    FOR_EACH(i, count) {
        const u64 end = AT(starts)[i + 1];
        fe sum = fr_zero();
        for (u64 k = AT(starts)[i]; k < end; k++) {
            const u64 entry = AT(entries)[k];
            const u32 value = (u32)(entry >> 32);
            fe x = load_fe(AT(vector) + (u32)entry);
            if (value > 1) x = fr_mul(x, load_fe(AT(values) + value));
            else x = fe_select(value, fr_neg(x), x);
            sum = fr_add(sum, x);
        }
        put(AT(product), AT(partial), rows, AT(targets)[i], sum);
    }
}

// Piece i has the partial sums from number starts[i] to before number starts[i + 1].
KERNEL void sum_partial(BUFFER(const u64, starts), BUFFER(const u64, targets), BUFFER(fe, product), BUFFER(fe, partial), u64 rows,
                        u64 count) {
    FOR_EACH(i, count) {
        const u64 end = AT(starts)[i + 1];
        fe sum = fr_zero();
        for (u64 k = AT(starts)[i]; k < end; k++) sum = fr_add(sum, load_fe(AT(partial) + k));
        put(AT(product), AT(partial), rows, AT(targets)[i], sum);
    }
}
