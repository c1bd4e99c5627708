// Row programs (src/program/): each item runs the same code on a row of its own, then on the next that no item has.
//
// An instruction combines the accumulator with an operand, and may copy the result to a slot. All items do the same instruction at a time, so that its
// branches cost no divergence; a group reads code a part at a time. The first FAST_SLOTS slots of an item are in work-group memory, the others in a buffer in which a slot's elements of all items lie side by side.
//
// A word of code has, from its lowest bit on, four bits for the operation, three for the kind of its operand, one that says whether the result is kept, 16 for its slot + 1, or the
// number of coordinates + 1, eight for the access, and 32 for an index (`words` in src/backend/gpu/row_program.rs). Words that do nothing fill the last batch.

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

#define FROM_SLOT 16
#define FROM_CONSTANTS 32
#define FROM_INPUT 64
#define KEEPS 128

// Instructions that a group reads at a time.
#define PART 512

// What is known of an access: the number of its matrix, the rows of that, elements from a row to the next and from a column to the next, and the offset in rows of the run.
#define ACCESS_WORDS 5

// The row of an input of `rows` rows that is read at row `row` of `count`, with an offset; both numbers are powers of two.
DEVICE u32 row_of_input(u32 row, u64 offset, u32 log_count, u32 log_rows, u64 reversed) {
    const u64 natural = reversed ? reverse_bits(row, log_count) : row;
    u64 index = (natural + offset) & (((u64)1 << log_count) - 1);
    if (log_rows < log_count) index &= ((u64)1 << log_rows) - 1;
    else index <<= log_rows - log_count;
    return reversed ? reverse_bits((u32)index, log_rows) : (u32)index;
}

FIXED_KERNEL(GROUP, 4) run_program(BUFFER(const u64, code), u64 length, BUFFER(const element, constants), BUFFER(const u64, accesses),
                                   u64 access_count, BUFFER(const element, input0), BUFFER(const element, input1), BUFFER(const element, input2),
                                   BUFFER(const element, input3), BUFFER(const element, input4), BUFFER(const element, input5),
                                   BUFFER(const element, input6), BUFFER(const element, input7), BUFFER(element, slow), BUFFER(element, outputs),
                                   u64 log_count, u64 reversed) {
    LOCAL element fast[FAST_SLOTS * GROUP];
    LOCAL u32 rows[MAX_ACCESSES * GROUP];
    LOCAL u32 access[MAX_ACCESSES * ACCESS_WORDS];
    LOCAL u64 part[PART];
    const u32 item = (u32)local_id();
    for (u32 i = item; i < access_count * ACCESS_WORDS; i += GROUP) access[i] = (u32)AT(accesses)[i];
    BARRIER();
    const u64 count = (u64)1 << log_count, items = global_size(), here = global_id();
    // Items of a group go on together, those without a row too, so that they can read code together.
    for (u64 first = group_id() * GROUP; first < count; first += items) {
        const u64 row = first + item;
        const u32 has_row = row < count;
        for (u32 i = 0; i < access_count; i++) {
            LOCAL_POINTER const u32 *of = access + i * ACCESS_WORDS;
            rows[i * GROUP + item] = row_of_input(has_row ? (u32)row : 0, of[4], (u32)log_count, of[1], reversed);
        }
        element a = element_zero(), sums[MAX_COORDINATES];
        UNROLL
        for (int d = 0; d < MAX_COORDINATES; d++) sums[d] = element_zero();
        // The length is a multiple of AHEAD.
        for (u64 begin = 0; begin < length; begin += PART) {
            BARRIER();
            for (u32 i = item; i < PART && begin + i < length; i += GROUP) part[i] = AT(code)[begin + i];
            BARRIER();
            const u32 end = length - begin < PART ? (u32)(length - begin) : PART;
            NO_UNROLL
            for (u32 at = 0; at < end; at += AHEAD) {
                // What lies in inputs and constants does not depend on earlier instructions: several are asked for before the first is used.
                element found[AHEAD];
                u32 low[AHEAD], index[AHEAD];
                UNROLL
                for (u32 k = 0; k < AHEAD; k++) {
                    const u64 word = part[at + k];
                    low[k] = (u32)word, index[k] = (u32)(word >> 32);
                    if (low[k] & FROM_INPUT) {
                        LOCAL_POINTER const u32 *of = access + (low[k] >> 24) * ACCESS_WORDS;
                        const u64 entry = (u64)index[k] * of[3] + (u64)rows[(low[k] >> 24) * GROUP + item] * of[2];
                        const u32 matrix = of[0];
                        if (matrix == 0) found[k] = element_load(AT(input0) + entry);
                        else if (matrix == 1) found[k] = element_load(AT(input1) + entry);
                        else if (matrix == 2) found[k] = element_load(AT(input2) + entry);
                        else if (matrix == 3) found[k] = element_load(AT(input3) + entry);
                        else if (matrix == 4) found[k] = element_load(AT(input4) + entry);
                        else if (matrix == 5) found[k] = element_load(AT(input5) + entry);
                        else if (matrix == 6) found[k] = element_load(AT(input6) + entry);
                        else found[k] = element_load(AT(input7) + entry);
                    } else if (low[k] & FROM_CONSTANTS) {
                        found[k] = element_load(AT(constants) + index[k]);
                    }
                }
                UNROLL
                for (u32 k = 0; k < AHEAD; k++) {
                    const u32 to = low[k] >> 8 & 0xffff;
                    element b = found[k];
                    if (low[k] & FROM_SLOT) {
                        if (index[k] < FAST_SLOTS) b = fast[index[k] * GROUP + item];
                        else b = element_load(AT(slow) + (index[k] - FAST_SLOTS) * items + here);
                    }
                    switch (low[k] & 15) {
                    case OP_LOAD: a = b; break;
                    case OP_ADD: a = element_add(a, b); break;
                    case OP_SUB: a = element_sub(a, b); break;
                    case OP_SUB_FROM: a = element_sub(b, a); break;
                    case OP_MUL: a = element_mul(a, b); break;
                    case OP_DOUBLE: a = element_add(a, a); break;
                    case OP_SQUARE: a = element_mul(a, a); break;
                    case OP_WEIGH:
                        sums[0] = element_add(sums[0], element_mul(a, b));
                        UNROLL
                        for (u32 d = 1; d < MAX_COORDINATES; d++)
                            if (d < to - 1) sums[d] = element_add(sums[d], element_mul(a, element_load(AT(constants) + index[k] + d)));
                        break;
                    case OP_WRITE:
                        if (has_row) element_store(AT(outputs) + index[k] * count + row, element_canonical(a));
                        break;
                    case OP_WRITE_SUMS:
                        UNROLL
                        for (u32 d = 0; d < MAX_COORDINATES; d++) {
                            if (d < to - 1 && has_row) element_store(AT(outputs) + (index[k] + d) * count + row, element_canonical(sums[d]));
                            sums[d] = element_zero();
                        }
                        break;
                    default: break;
                    }
                    if (low[k] & KEEPS) {
                        if (to <= FAST_SLOTS) fast[(to - 1) * GROUP + item] = a;
                        else element_store(AT(slow) + (to - 1 - FAST_SLOTS) * items + here, a);
                    }
                }
            }
        }
    }
}
