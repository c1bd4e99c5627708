// Combinations of the columns of a matrix or of its rows (src/backend/gpu/combinations.rs): SUMS sums for each of many items, of terms times
// factors.
//
// Term t of item i is element item_step i + term_step t, and factor k of term t is element factor_step t + sum_step k. Terms are cut into slices, whose
// sums are added afterwards: sum k of slice s of item i goes to element (SUMS s + k) items + i. Terms of a slice are `slices` apart, or
// tiles of them, so that whoever works at the same time reads what lies side by side.

// Elements that a work item, or each item of a tile, loads before it multiplies: 64 bytes, and 128. Groups that registers allow on a
// multiprocessor without spills.
#ifdef FIELD_LIMBS
#define AT_ONCE 2
#define TILE 4
#define GROUPS 4
#else
#define AT_ONCE 8
#define TILE 16
#define GROUPS (SUMS < 4 ? 6 : 5)
#endif

// Items of a group of combine_tiles.
#define ITEMS 128

#define NO_SUMS(sums)                \
    element_sum sums[SUMS];          \
    UNROLL                           \
    for (int k = 0; k < SUMS; k++) sums[k] = sum_of_none();

// Adds the products of a term.
DEVICE void add_products(element_sum *sums, element x, GLOBAL const element *factors, u64 sum_step) {
    UNROLL
    for (int k = 0; k < SUMS; k++) sums[k] = sum_and_product(sums[k], x, element_load(factors + k * sum_step));
}

DEVICE void store_sums(GLOBAL element *to, u64 items, u64 item, u64 slice, const element_sum *sums) {
    UNROLL
    for (int k = 0; k < SUMS; k++) element_store(to + (SUMS * slice + k) * items + item, sum_as_element(sums[k]));
}

// A work item for each slice of each item. Neighbours have items side by side, or slices where `by_slices`.
KERNEL void combine(BUFFER(const element, from), u64 item_step, u64 term_step, BUFFER(const element, factors), u64 factor_step,
                    u64 sum_step, BUFFER(element, to), u64 items, u64 terms, u64 slices, u64 by_slices) {
    FOR_EACH(number, items * slices) {
        u64 item = number, slice = 0;
        if (slices > 1) {
            item = by_slices ? number / slices : number % items;
            slice = by_slices ? number % slices : number / items;
        }
        GLOBAL const element *x = AT(from) + item * item_step + slice * term_step, *y = AT(factors) + slice * factor_step;
        const u64 x_step = slices * term_step, y_step = slices * factor_step;
        u64 left = (terms - slice + slices - 1) / slices;
        NO_SUMS(sums);
        for (; left >= AT_ONCE; left -= AT_ONCE) {
            element loaded[AT_ONCE];
            UNROLL
            for (int i = 0; i < AT_ONCE; i++, x += x_step) loaded[i] = element_load(x);
            UNROLL
            for (int i = 0; i < AT_ONCE; i++, y += y_step) add_products(sums, loaded[i], y, sum_step);
        }
        NO_UNROLL
        for (; left > 0; left--, x += x_step, y += y_step) add_products(sums, element_load(x), y, sum_step);
        store_sums(AT(to), items, item, slice, sums);
    }
}

// The same where terms lie side by side and items are many: a group loads tiles of terms of its items to its memory, whole lines at a time, and then each
// work item takes the terms of one item. A group for each slice of each ITEMS items.
FIXED_KERNEL(ITEMS, GROUPS) combine_tiles(BUFFER(const element, from), u64 item_step, u64 term_step, BUFFER(const element, factors),
                                          u64 factor_step, u64 sum_step, BUFFER(element, to), u64 items, u64 terms, u64 slices,
                                          u64 by_slices) {
    // One more than a row has, so that the elements of a column are in different banks.
    LOCAL element tile[ITEMS * (TILE + 1)];
    const u64 slice = group_id() % slices, first_item = group_id() / slices * ITEMS, item = first_item + local_id();
    NO_SUMS(sums);
    for (u64 first = slice * TILE; first < terms; first += slices * TILE) {
        const u32 count = terms - first < TILE ? (u32)(terms - first) : TILE;
        const u32 column = (u32)local_id() % TILE, row = (u32)local_id() / TILE;
        GLOBAL const element *x = AT(from) + (first_item + row) * item_step + (first + column) * term_step;
        element loaded[TILE];
        UNROLL
        for (int i = 0; i < TILE; i++, x += ITEMS / TILE * item_step) {
            loaded[i] = element_zero();
            if (first_item + row + i * (ITEMS / TILE) < items && column < count) loaded[i] = element_load(x);
        }
        BARRIER();
        UNROLL
        for (int i = 0; i < TILE; i++) tile[(row + i * (ITEMS / TILE)) * (TILE + 1) + column] = loaded[i];
        BARRIER();
        GLOBAL const element *y = AT(factors) + first * factor_step;
        UNROLL_BY_4
        for (u32 i = 0; i < count; i++, y += factor_step)
            add_products(sums, tile[local_id() * (TILE + 1) + i], y, sum_step);
    }
    if (item < items) store_sums(AT(to), items, item, slice, sums);
}

// Adds slices: those s, s + to_slices and so on of `from` become slice s of `to`, of `count` elements each.
KERNEL void add_slices(BUFFER(const element, from), BUFFER(element, to), u64 count, u64 from_slices, u64 to_slices) {
    FOR_EACH(number, count * to_slices) {
        element sum = element_zero();
        for (u64 at = number; at < count * from_slices; at += count * to_slices)
            sum = sum_of_two(sum, element_load(AT(from) + at));
        element_store(AT(to) + number, element_canonical(sum));
    }
}
