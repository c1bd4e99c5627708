// Prefix products of the columns of a matrix (src/backend/gpu/prefix.rs).
//
// A matrix is blocks of `rows` rows of `width` elements. Columns are cut into runs of RUN rows, the last of which may have fewer. The products of runs are a matrix of
// the same form with a row for each run; its prefix products are what the runs begin with. So each element is read twice and written once, and
// takes two products.

// Rows of a run, and those that a work item loads before it multiplies: 64 bytes.
#define RUN 16
#ifdef FIELD_LIMBS
#define AT_ONCE 2
#else
#define AT_ONCE 8
#endif

// Items of a group.
#define ITEMS 128

// The first element of run `number`, counted through runs of a row of runs first, then of a block, and the rows that it has.
#define RUN_OF(from, number, rows, width, runs, x, left)                                                            \
    const u64 above = (number) / (width), run = above % (runs);                                                     \
    GLOBAL const element *x = AT(from) + (above / (runs) * (rows) + run * RUN) * (width) + (number) % (width);      \
    u64 left = (rows) - run * RUN < RUN ? (rows) - run * RUN : RUN;

// The product of each of `count` runs.
KERNEL void run_products(BUFFER(const element, from), u64 rows, u64 width, u64 runs, BUFFER(element, to), u64 count) {
    FOR_EACH(number, count) {
        RUN_OF(from, number, rows, width, runs, x, left)
        element product = element_load(x);
        x += width, left--;
        for (; left >= AT_ONCE; left -= AT_ONCE) {
            element loaded[AT_ONCE];
            UNROLL
            for (int i = 0; i < AT_ONCE; i++, x += width) loaded[i] = element_load(x);
            UNROLL
            for (int i = 0; i < AT_ONCE; i++) product = element_mul(product, loaded[i]);
        }
        NO_UNROLL
        for (; left > 0; left--, x += width) product = element_mul(product, element_load(x));
        element_store(AT(to) + number, element_canonical(product));
    }
}

// The prefix products of each of `count` runs, by what each begins with.
KERNEL void run_prefixes(BUFFER(const element, from), u64 rows, u64 width, u64 runs, BUFFER(const element, carries), BUFFER(element, to),
                         u64 count) {
    FOR_EACH(number, count) {
        RUN_OF(from, number, rows, width, runs, x, left)
        GLOBAL element *y = AT(to) + (x - AT(from));
        element product = element_load(AT(carries) + number);
        for (; left >= AT_ONCE; left -= AT_ONCE) {
            element loaded[AT_ONCE];
            UNROLL
            for (int i = 0; i < AT_ONCE; i++, x += width) loaded[i] = element_load(x);
            UNROLL
            for (int i = 0; i < AT_ONCE; i++, y += width) {
                element_store(y, element_canonical(product));
                product = element_mul(product, loaded[i]);
            }
        }
        NO_UNROLL
        for (; left > 0; left--, x += width, y += width) {
            const element next = element_load(x);
            element_store(y, element_canonical(product));
            product = element_mul(product, next);
        }
    }
}

// The same of short columns, a group for each: an item has a run of them, and what it begins with is found in work-group memory (Hillis and Steele, Communications of
// the ACM 29, 1986). `carries` are what columns begin with, and `ends` what they end with.
FIXED_KERNEL(ITEMS, 4) column_prefixes(BUFFER(const element, from), u64 rows, u64 width, BUFFER(const element, carries),
                                       BUFFER(element, ends), BUFFER(element, to)) {
    LOCAL element products[2 * ITEMS];
    const u64 column = group_id(), item = local_id(), length = (rows + ITEMS - 1) / ITEMS;
    const u64 first = item * length < rows ? item * length : rows, end = rows - first < length ? rows : first + length;
    const u64 above = column / width * rows * width + column % width;
    GLOBAL const element *x = AT(from) + above + first * width;
    element product = element_one();
    for (u64 i = first; i < end; i++, x += width) product = element_mul(product, element_load(x));
    u64 now = 0;
    products[item] = product;
    NO_UNROLL
    for (u64 distance = 1; distance < ITEMS; distance *= 2) {
        BARRIER();
        if (item >= distance) product = element_mul(products[now + item - distance], product);
        now = ITEMS - now;
        products[now + item] = product;
    }
    BARRIER();
    product = element_load(AT(carries) + column);
    if (item > 0) product = element_mul(product, products[now + item - 1]);
    x = AT(from) + above + first * width;
    GLOBAL element *y = AT(to) + above + first * width;
    for (u64 i = first; i < end; i++, x += width, y += width) {
        const element next = element_load(x);
        element_store(y, element_canonical(product));
        product = element_mul(product, next);
    }
    if (item == ITEMS - 1) element_store(AT(ends) + column, element_canonical(product));
}

#ifndef FIELD_LIMBS

// The same as run_products and run_prefixes for blocks of one column, whose runs lie one after another: a group takes ITEMS runs, which pass through its
// memory, so that neighbours read and write what lies side by side. An element of several words is as long as what a device reads at a time.

// One more than a run has, so that elements of neighbours' runs are in different banks.
#define TILE (ITEMS * (RUN + 1))
#define TILE_AT(at) ((at) + (at) / RUN)

#define TILE_OF(rows, runs, tile_run, tile_row)                                                                 \
    const u64 tiles = ((runs) + ITEMS - 1) / ITEMS, block = group_id() / tiles;                                 \
    const u64 tile_run = group_id() % tiles * ITEMS, tile_row = tile_run * RUN;

// Loads the rows of a tile; those behind the last become 1.
DEVICE void load_tile(GLOBAL const element *from, u64 rows, LOCAL_POINTER element *tile) {
    element loaded[RUN];
    UNROLL
    for (u32 i = 0; i < RUN; i++) {
        const u32 at = i * ITEMS + (u32)local_id();
        loaded[i] = at < rows ? element_load(from + at) : element_one();
    }
    UNROLL
    for (u32 i = 0; i < RUN; i++) {
        const u32 at = i * ITEMS + (u32)local_id();
        tile[TILE_AT(at)] = loaded[i];
    }
    BARRIER();
}

FIXED_KERNEL(ITEMS, 8) tile_products(BUFFER(const element, from), u64 rows, u64 runs, BUFFER(element, to)) {
    LOCAL element tile[TILE];
    TILE_OF(rows, runs, run, row)
    load_tile(AT(from) + block * rows + row, rows - row, tile);
    if (local_id() < runs - run) {
        LOCAL_POINTER const element *x = tile + local_id() * (RUN + 1);
        element product = x[0];
        UNROLL
        for (int i = 1; i < RUN; i++) product = element_mul(product, x[i]);
        element_store(AT(to) + block * runs + run + local_id(), product);
    }
}

FIXED_KERNEL(ITEMS, 8) tile_prefixes(BUFFER(const element, from), u64 rows, u64 runs, BUFFER(const element, carries), BUFFER(element, to)) {
    LOCAL element tile[TILE];
    TILE_OF(rows, runs, run, row)
    load_tile(AT(from) + block * rows + row, rows - row, tile);
    if (local_id() < runs - run) {
        LOCAL_POINTER element *x = tile + local_id() * (RUN + 1);
        element product = element_load(AT(carries) + block * runs + run + local_id());
        UNROLL
        for (int i = 0; i < RUN; i++) {
            const element next = x[i];
            x[i] = product;
            product = element_mul(product, next);
        }
    }
    BARRIER();
    GLOBAL element *y = AT(to) + block * rows + row;
    UNROLL
    for (u32 i = 0; i < RUN; i++) {
        const u32 at = i * ITEMS + (u32)local_id();
        if (at < rows - row) element_store(y + at, tile[TILE_AT(at)]);
    }
}

#endif
