// Permutations of lookups (src/backend/gpu/lookups.rs).
//
// Columns 2j and 2j + 1 of a matrix are the input and the table of lookup j, of `used` rows. The entries of a column are `row_words` apart, and its first one is `column_words`
// behind that of the column before; an element has WORDS words. Values are compared, and nothing else is done with them.
//
// A value stands in the first row of the table that has it. A slot has one more than such a row, and zero if it has none; it is found by open addressing. Which item came first decides
// which slots values have, and nothing that is read afterwards.

// Items of a group, and rows of an item.
#define ITEMS 256
#define ROWS 8

#define ENTRY(matrix, column, row) (AT(matrix) + (column) * column_words + (row) * row_words)

typedef struct {
    u64 word[WORDS];
} value;

DEVICE value load_value(GLOBAL const u64 *from) {
    value x;
    UNROLL
    for (int i = 0; i < WORDS; i++) x.word[i] = from[i];
    return x;
}

DEVICE void store_value(GLOBAL u64 *to, value x) {
    UNROLL
    for (int i = 0; i < WORDS; i++) to[i] = x.word[i];
}

DEVICE int equal(value x, value y) {
    u64 differ = 0;
    UNROLL
    for (int i = 0; i < WORDS; i++) differ |= x.word[i] ^ y.word[i];
    return differ == 0;
}

// The slot with which the search for a value begins, of 2^`bits`: the upper bits of a sum of products with random odd words.
DEVICE u64 first_slot(value x, GLOBAL const u64 *factors, u64 bits) {
    u64 sum = 0;
    UNROLL
    for (int i = 0; i < WORDS; i++) sum += (u64)(u32)x.word[i] * factors[2 * i] + (x.word[i] >> 32) * factors[2 * i + 1];
    return sum >> (64 - bits);
}

KERNEL void lookup_clear(BUFFER(u32, words), u64 count) {
    FOR_EACH(i, count) AT(words)[i] = 0;
}

// Gives each value of the tables its slot.
KERNEL void lookup_insert(BUFFER(const u64, matrix), u64 row_words, u64 column_words, u64 used, BUFFER(const u64, factors), u64 bits,
                          BUFFER(u32, slots), u64 count) {
    FOR_EACH(i, count) {
        const u64 lookup = i / used, row = i % used, mask = ((u64)1 << bits) - 1;
        GLOBAL const u64 *table = ENTRY(matrix, 2 * lookup + 1, 0);
        const value x = load_value(table + row * row_words);
        // A table is filled up with one value.
        if (row > 0 && equal(x, load_value(table + (row - 1) * row_words))) continue;
        GLOBAL u32 *mine = AT(slots) + (lookup << bits);
        const u32 own = (u32)row + 1;
        for (u64 slot = first_slot(x, AT(factors), bits);; slot = (slot + 1) & mask) {
            u32 found = mine[slot];
            if (found == 0) found = ATOMIC_COMPARE(&mine[slot], 0u, own);
            if (found == 0) break;
            if (equal(x, load_value(table + (u64)(found - 1) * row_words))) {
                if (found > own) ATOMIC_MIN(&mine[slot], own);
                break;
            }
        }
    }
}

// For each row of the tables, how many inputs have the value that stands there; and for each lookup, how many rows the first input that is not in the table is above
// `used`. An item takes ROWS inputs, `parts` items a lookup.
KERNEL void lookup_count(BUFFER(const u64, matrix), u64 row_words, u64 column_words, u64 used, BUFFER(const u64, factors), u64 bits,
                         BUFFER(const u32, slots), BUFFER(u32, inputs), BUFFER(u32, missing), u64 parts, u64 count) {
    FOR_EACH(i, count) {
        const u64 lookup = i / parts, first = i % parts * ROWS, mask = ((u64)1 << bits) - 1;
        const u64 end = used - first < ROWS ? used : first + ROWS;
        GLOBAL const u64 *table = ENTRY(matrix, 2 * lookup + 1, 0);
        GLOBAL const u32 *mine = AT(slots) + (lookup << bits);
        GLOBAL u32 *counts = AT(inputs) + lookup * used;
        value last = load_value(ENTRY(matrix, 2 * lookup, first));
        u32 stands = 0, equals = 0;
        NO_UNROLL
        for (u64 row = first; row < end; row++) {
            const value x = load_value(ENTRY(matrix, 2 * lookup, row));
            if (equals > 0 && equal(x, last)) {
                equals++;
                continue;
            }
            if (equals > 0) ATOMIC_ADD(&counts[stands], equals);
            equals = 0;
            u64 slot = first_slot(x, AT(factors), bits);
            u32 found = mine[slot];
            while (found != 0 && !equal(x, load_value(table + (u64)(found - 1) * row_words))) {
                slot = (slot + 1) & mask;
                found = mine[slot];
            }
            if (found == 0) {
                ATOMIC_MAX(&AT(missing)[lookup], (u32)(used - row));
                break;
            }
            last = x;
            stands = found - 1;
            equals = 1;
        }
        if (equals > 0) ATOMIC_ADD(&counts[stands], equals);
    }
}

// The sum over the rows of an item: inputs in the lower half, rows without any in the upper.
#define ITEM_SUM(counts, first, end, sum)                                                    \
    u64 sum = 0;                                                                             \
    for (u64 row = first; row < end; row++) {                                                \
        const u32 here = (counts)[row];                                                      \
        sum += here == 0 ? (u64)1 << 32 : here;                                              \
    }

// What items before this one have in sum, and what all of them have, by work-group memory for two words an item (Hillis and Steele, Communications of the ACM 29, 1986).
#define SCAN(sums, sum, before, all)                                                         \
    u64 now = 0;                                                                             \
    sums[local_id()] = sum;                                                                  \
    NO_UNROLL                                                                                \
    for (u64 distance = 1; distance < ITEMS; distance *= 2) {                                \
        BARRIER();                                                                           \
        const u64 left = local_id() >= distance ? sums[now + local_id() - distance] : 0;     \
        const u64 own = sums[now + local_id()];                                              \
        now = ITEMS - now;                                                                   \
        sums[now + local_id()] = left + own;                                                 \
    }                                                                                        \
    BARRIER();                                                                               \
    const u64 before = local_id() > 0 ? sums[now + local_id() - 1] : 0, all = sums[now + ITEMS - 1];

#define TILE_OF(tiles)                                                                       \
    const u64 lookup = group_id() / (tiles), tile = group_id() % (tiles);                    \
    const u64 start = (tile * ITEMS + local_id()) * ROWS, first = start < used ? start : used;   \
    const u64 end = used - first < ROWS ? used : first + ROWS;

// The sums of tiles of ITEMS items, a group each.
FIXED_KERNEL(ITEMS, 4) lookup_tiles(BUFFER(const u32, inputs), u64 used, u64 tiles, BUFFER(u64, sums)) {
    LOCAL u64 shared[2 * ITEMS];
    TILE_OF(tiles)
    ITEM_SUM(AT(inputs) + lookup * used, first, end, sum)
    SCAN(shared, sum, before, all)
    if (local_id() == 0) AT(sums)[group_id()] = all;
}

// The sums of all tiles before each, in their place, a group for each lookup; and the number of groups of equal inputs.
FIXED_KERNEL(ITEMS, 4) lookup_before(BUFFER(u64, sums), u64 used, u64 tiles, BUFFER(u32, groups)) {
    LOCAL u64 shared[2 * ITEMS];
    GLOBAL u64 *mine = AT(sums) + group_id() * tiles;
    const u64 each = (tiles + ITEMS - 1) / ITEMS, first = local_id() * each < tiles ? local_id() * each : tiles;
    const u64 end = tiles - first < each ? tiles : first + each;
    u64 sum = 0;
    for (u64 k = first; k < end; k++) sum += mine[k];
    SCAN(shared, sum, before, all)
    u64 at = before;
    for (u64 k = first; k < end; k++) {
        const u64 here = mine[k];
        mine[k] = at;
        at += here;
    }
    if (local_id() == 0) AT(groups)[group_id()] = (u32)(used - (all >> 32));
}

// The groups of equal inputs, in order: where they begin, and in the upper half the row where their value stands. And the other rows of the table.
FIXED_KERNEL(ITEMS, 4) lookup_groups(BUFFER(const u32, inputs), u64 used, u64 tiles, BUFFER(const u64, sums), BUFFER(u64, begins),
                                     BUFFER(u32, others)) {
    LOCAL u64 shared[2 * ITEMS];
    TILE_OF(tiles)
    GLOBAL const u32 *counts = AT(inputs) + lookup * used;
    ITEM_SUM(counts, first, end, sum)
    SCAN(shared, sum, before, all)
    const u64 from = AT(sums)[group_id()] + before;
    u32 begin = (u32)from;
    u64 other = from >> 32;
    for (u64 row = first; row < end; row++) {
        const u32 here = counts[row];
        if (here == 0) {
            AT(others)[lookup * used + other++] = (u32)row;
        } else {
            AT(begins)[lookup * used + (row - other)] = row << 32 | begin;
            begin += here;
        }
    }
}

// Writes the permuted columns, and the rows that are not permuted. Of a lookup with an input that is missing nothing is written.
KERNEL void lookup_write(BUFFER(const u64, matrix), u64 row_words, u64 column_words, u64 used, BUFFER(const u32, missing),
                         BUFFER(const u32, groups), BUFFER(const u64, begins), BUFFER(const u32, others), BUFFER(u64, to), u64 rows,
                         u64 count) {
    FOR_EACH(i, count) {
        const u64 lookup = i / rows, row = i % rows, input = 2 * lookup, table = input + 1;
        if (row >= used) {
            store_value(ENTRY(to, input, row), load_value(ENTRY(matrix, input, row)));
            store_value(ENTRY(to, table, row), load_value(ENTRY(matrix, table, row)));
            continue;
        }
        if (AT(missing)[lookup] != 0) continue;
        // The last group that begins here or before.
        GLOBAL const u64 *mine = AT(begins) + lookup * used;
        u64 low = 0, high = AT(groups)[lookup];
        while (high - low > 1) {
            const u64 middle = low + (high - low) / 2;
            if ((u32)mine[middle] <= row) low = middle;
            else high = middle;
        }
        const u64 group = mine[low], stands = group >> 32;
        const u64 beside = (u32)group == row ? stands : AT(others)[lookup * used + row - low - 1];
        store_value(ENTRY(to, input, row), load_value(ENTRY(matrix, table, stands)));
        store_value(ENTRY(to, table, row), load_value(ENTRY(matrix, table, beside)));
    }
}
