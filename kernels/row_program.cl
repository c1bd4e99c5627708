// Row programs (src/program/): the items of a group run the same code, each on ITEM_ROWS rows of its own, and then on the next that no group has. The words of the code are described in src/program/batches.rs.
//
// All items do the same instruction at a time, so that branches cost no divergence. While a batch of instructions runs, the entries that the next one takes come from inputs and from slots far away into registers;
// then they go to places near the item, where instructions find their operands. So decoding is short, and what has to be fetched far away is asked for early.
//
// A program may have several pieces, each with groups of its own and with sums of its own, which `sum_pieces` adds.

#define OP_LOAD 0
#define OP_ADD 1
#define OP_SUB 2
#define OP_SUB_FROM 3
#define OP_MUL 4
#define OP_DOUBLE 5
#define OP_SQUARE 6
#define OP_WEIGH 7
#define OP_WRITE 8
#define OP_WRITE_SUMS 9

// Flags of an instruction's first word.
#define LOADS_FIRST 16
#define KEEPS 32
#define HAS_SECOND 64

// Flags of its second word.
#define FROM_CODE 1
#define FROM_FAR 2
#define TO_FAR 4

// An entry from a slot far away, in place of an access.
#define ENTRY_FAR 255

// Rows of a group.
#define ROWS (GROUP * ITEM_ROWS)

// What is known of an access: the number of its matrix; the elements from a row to the next and from a column to the next; and for the row of the matrix, from that of the run in natural order, what is added, a mask, a shift up, and, where rows are in bit-reversed order, a
// shift down after the reversal.
#define ACCESS_WORDS 7

// The place at an offset in bytes from an item's first.
#define NEAR(offset) ((LOCAL_POINTER element *)((LOCAL_POINTER u8 *)mine + (offset)))

#define FOR_ROWS(r) UNROLL for (u32 r = 0; r < ITEM_ROWS; r++)

FIXED_KERNEL(GROUP, 5) run_program(BUFFER(const u64, code), BUFFER(const u64, pieces), u64 piece_count, BUFFER(const u64, accesses), u64 access_count,
                                   BUFFER(const element, input0), BUFFER(const element, input1), BUFFER(const element, input2),
                                   BUFFER(const element, input3), BUFFER(const element, input4), BUFFER(const element, input5),
                                   BUFFER(const element, input6), BUFFER(const element, input7), BUFFER(element, far), BUFFER(element, outputs),
                                   u64 columns, u64 log_count, u64 reversed) {
    LOCAL element near[(SLOTS + RING) * ROWS];
    LOCAL u64 part[PART];
    LOCAL u64 access[MAX_ACCESSES * ACCESS_WORDS];
    LOCAL_POINTERS(const element, matrices, MAX_ACCESSES);
    const u32 item = (u32)local_id();
    for (u32 i = item; i < access_count; i += GROUP) {
        GLOBAL const u64 *of = AT(accesses) + i * ACCESS_WORDS;
        for (u32 j = 0; j < ACCESS_WORDS; j++) access[i * ACCESS_WORDS + j] = of[j];
        const u64 matrix = of[0];
        GLOBAL const element *from = AT(input0);
        if (matrix == 1) from = AT(input1);
        if (matrix == 2) from = AT(input2);
        if (matrix == 3) from = AT(input3);
        if (matrix == 4) from = AT(input4);
        if (matrix == 5) from = AT(input5);
        if (matrix == 6) from = AT(input6);
        if (matrix == 7) from = AT(input7);
        matrices[i] = from;
    }
    const u64 group = group_id(), all = global_size() * ITEM_ROWS, of_piece = all / piece_count;
    const u64 piece = group / (of_piece / ROWS), begin = AT(pieces)[2 * piece], end = AT(pieces)[2 * piece + 1];
    const u64 count = (u64)1 << log_count;
    LOCAL_POINTER element *const mine = near + item;
    GLOBAL element *const slots = AT(far) + group * ROWS + item;
    GLOBAL element *const results = AT(outputs) + piece * columns * count;
    for (u64 first = group % (of_piece / ROWS) * ROWS; first < count; first += of_piece) {
        element a[ITEM_ROWS], sums[ITEM_ROWS][MAX_COORDINATES], next[ITEM_ROWS][RING];
        u32 natural[ITEM_ROWS];
        FOR_ROWS(r) {
            // Items go on together, those without a row too, so that they can read code together.
            const u32 row = (u32)(first + r * GROUP + item) & (u32)(count - 1);
            natural[r] = reversed ? reverse_bits(row, (u32)log_count) : row;
            a[r] = element_zero();
            UNROLL
            for (u32 d = 0; d < MAX_COORDINATES; d++) sums[r][d] = element_zero();
        }
        for (u64 read = begin; read < end; read += PART) {
            BARRIER();
            for (u32 i = item; i < PART; i += GROUP) part[i] = AT(code)[read + i];
            BARRIER();
            u32 at = 0;
            NO_UNROLL
            while (at < PART) {
                const u32 head = (u32)part[at++];
                if (head == 0) break;
                const u32 wanted = head & 255, block_end = head >> 8;
                UNROLL
                for (u32 k = 0; k < RING; k++) {
                    if (k >= wanted) continue;
                    const u64 word = part[at + k];
                    const u32 number = (u32)word & 255;
                    if (number == ENTRY_FAR) {
                        FOR_ROWS(r) next[r][k] = element_load(slots + (word >> 8) * all + r * GROUP);
                    } else {
                        LOCAL_POINTER const u64 *of = access + number * ACCESS_WORDS;
                        GLOBAL const element *column = matrices[number] + (word >> 8) * of[2];
                        const u32 further = (u32)of[3], mask = (u32)of[4], up = (u32)of[5], down = (u32)of[6];
                        FOR_ROWS(r) {
                            u32 row = ((natural[r] + further) & mask) << up;
                            if (reversed) row = reverse32(row) >> down;
                            next[r][k] = element_load(column + (u64)row * of[1]);
                        }
                    }
                }
                at += wanted;
                NO_UNROLL
                while (at < block_end) {
                    const u64 word = part[at++];
                    const u32 low = (u32)word, high = (u32)(word >> 32);
                    u64 second = 0;
                    element b[ITEM_ROWS];
                    FOR_ROWS(r) b[r] = NEAR(low >> 16)[r * GROUP];
                    if (low & LOADS_FIRST) {
                        FOR_ROWS(r) a[r] = NEAR(high & 0xffff)[r * GROUP];
                    }
                    if (low & HAS_SECOND) {
                        second = part[at++];
                        if ((u32)second & FROM_CODE) {
                            FOR_ROWS(r) b[r] = *(LOCAL_POINTER const element *)(part + at);
                            at += ELEMENT_WORDS;
                        } else if ((u32)second & FROM_FAR) {
                            FOR_ROWS(r) b[r] = element_load(slots + ((u32)second >> 8) * all + r * GROUP);
                        }
                    }
                    // The most frequent first.
                    const u32 operation = low & 15, coordinates = low >> 19;
                    if (operation == OP_MUL) {
                        FOR_ROWS(r) a[r] = element_mul(a[r], b[r]);
                    } else if (operation == OP_ADD) {
                        FOR_ROWS(r) a[r] = element_add(a[r], b[r]);
                    } else if (operation == OP_SUB) {
                        FOR_ROWS(r) a[r] = element_sub(a[r], b[r]);
                    } else if (operation == OP_DOUBLE) {
                        FOR_ROWS(r) a[r] = element_add(a[r], a[r]);
                    } else if (operation == OP_SUB_FROM) {
                        FOR_ROWS(r) a[r] = element_sub(b[r], a[r]);
                    } else if (operation == OP_WEIGH) {
                        UNROLL
                        for (u32 d = 0; d < MAX_COORDINATES; d++) {
                            if (d >= coordinates) continue;
                            const element weight = *(LOCAL_POINTER const element *)(part + at + d * ELEMENT_WORDS);
                            FOR_ROWS(r) sums[r][d] = element_add(sums[r][d], element_mul(a[r], weight));
                        }
                        at += coordinates * ELEMENT_WORDS;
                    } else if (operation == OP_SQUARE) {
                        FOR_ROWS(r) a[r] = element_mul(a[r], a[r]);
                    } else if (operation == OP_LOAD) {
                        FOR_ROWS(r) a[r] = b[r];
                    } else {
                        // One output column, or as many as sums have coordinates.
                        const u64 column = part[at++];
                        FOR_ROWS(r) {
                            const u64 row = first + r * GROUP + item;
                            if (operation == OP_WRITE) {
                                if (row < count) element_store(results + column * count + row, element_canonical(a[r]));
                                continue;
                            }
                            UNROLL
                            for (u32 d = 0; d < MAX_COORDINATES; d++) {
                                if (d < coordinates && row < count) element_store(results + (column + d) * count + row, element_canonical(sums[r][d]));
                                sums[r][d] = element_zero();
                            }
                        }
                    }
                    if (low & KEEPS) {
                        FOR_ROWS(r) NEAR(high >> 16)[r * GROUP] = a[r];
                    }
                    if ((u32)second & TO_FAR) {
                        FOR_ROWS(r) element_store(slots + (second >> 32) * all + r * GROUP, a[r]);
                    }
                }
                UNROLL
                for (u32 k = 0; k < RING; k++) {
                    if (k >= wanted) continue;
                    FOR_ROWS(r) near[(SLOTS + k) * ROWS + r * GROUP + item] = next[r][k];
                }
            }
        }
    }
}

// The sums of what the pieces of a program found, `count` elements of each.
KERNEL void sum_pieces(BUFFER(const element, from), BUFFER(element, to), u64 pieces, u64 count) {
    FOR_EACH(i, count) {
        element sum = element_load(AT(from) + i);
        for (u64 piece = 1; piece < pieces; piece++) sum = element_add(sum, element_load(AT(from) + piece * count + i));
        element_store(AT(to) + i, element_canonical(sum));
    }
}
