// Rows of a matrix by their indices, side by side: what is opened of data that stay on the device; rows that several pieces hold in turn, in order; columns,
// which devices exchange; and a matrix in the other layout.
//
// The matrix is blocks of `rows` rows of `degree` words, `width` words a row in all: one block if it is row-major (degree =
// width), one a column if it is column-major. A heap of digests is a row-major matrix of four words a row.

KERNEL void gather_rows(BUFFER(const u64, matrix), u64 rows, u64 width, u64 degree, BUFFER(const u64, indices), u64 count,
                        BUFFER(u64, gathered)) {
    FOR_EACH(k, count * width) {
        u64 word = k % width, row = AT(indices)[k / width];
        AT(gathered)[k] = AT(matrix)[(word / degree * rows + row) * degree + word % degree];
    }
}

// `count` rows of each of `pieces` pieces, rows of `width` words: row r of piece k becomes row r pieces + k. The pieces lie one after another, but for one of this number, which lies elsewhere; there
// is none such if the number is that of the pieces.
KERNEL void interleave_rows(BUFFER(const u64, stacked), BUFFER(const u64, apart), u64 number, u64 pieces, u64 count, u64 width,
                            BUFFER(u64, interleaved)) {
    FOR_EACH(k, pieces * count * width) {
        // The branches spare most words a division of numbers of 64 bits.
        const u64 row = width == 1 ? k : k / width, word = k - row * width;
        const u64 of_piece = (row | pieces) >> 32 ? row / pieces : (u64)((u32)row / (u32)pieces), piece = row - of_piece * pieces;
        const u64 from = of_piece * width + word;
        if (piece == number)
            AT(interleaved)[k] = AT(apart)[from];
        else
            AT(interleaved)[k] = AT(stacked)[(piece - (piece > number)) * count * width + from];
    }
}

// `columns` words of each row of a row-major matrix, from some word of it on, side by side: `words` words in all.
KERNEL void take_columns(BUFFER(const u64, matrix), u64 width, u64 from, u64 columns, u64 words, BUFFER(u64, taken)) {
    FOR_EACH(k, words) {
        u64 row = k / columns;
        AT(taken)[k] = AT(matrix)[row * width + from + (k - row * columns)];
    }
}

// The inverse: words that lie side by side become columns of a row-major matrix.
KERNEL void put_columns(BUFFER(const u64, taken), u64 width, u64 from, u64 columns, u64 words, BUFFER(u64, matrix)) {
    FOR_EACH(k, words) {
        u64 row = k / columns;
        AT(matrix)[row * width + from + (k - row * columns)] = AT(taken)[k];
    }
}

// A row-major matrix, of rows of `width` words, with its columns one after another, columns of `degree` words. A group takes a square of words at a time through its memory,
// so that it reads words of a row and writes those of a column side by side.
#define SIDE 32
#define ITEMS 128

FIXED_KERNEL(ITEMS, 8) columns_apart(BUFFER(const u64, matrix), u64 rows, u64 width, u64 degree, BUFFER(u64, apart)) {
    // One more than a row has, so that the words of a column are in different banks.
    LOCAL u64 square[SIDE * (SIDE + 1)];
    const u64 across = (width + SIDE - 1) / SIDE, squares = (rows + SIDE - 1) / SIDE * across, groups = global_size() / ITEMS;
    const u32 near = (u32)local_id() % SIDE, far = (u32)local_id() / SIDE;
    for (u64 number = group_id(); number < squares; number += groups) {
        const u64 row = number / across * SIDE, word = number % across * SIDE;
        UNROLL
        for (u32 i = 0; i < SIDE; i += ITEMS / SIDE) {
            if (row + far + i < rows && word + near < width)
                square[(far + i) * (SIDE + 1) + near] = AT(matrix)[(row + far + i) * width + word + near];
        }
        BARRIER();
        UNROLL
        for (u32 i = 0; i < SIDE; i += ITEMS / SIDE) {
            const u64 from = word + far + i;
            // The branch spares words that are elements a division.
            const u64 column = degree == 1 ? from : from / degree;
            if (row + near < rows && from < width)
                AT(apart)[(column * rows + row + near) * degree + from - column * degree] = square[near * (SIDE + 1) + far + i];
        }
        BARRIER();
    }
}
