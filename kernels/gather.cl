// Rows of a matrix by their indices, side by side: what is opened of data that stay on the device; rows that several pieces hold in turn, in order; and columns,
// which devices exchange.
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

// `count` rows of each of `pieces` pieces, rows of `width` words: row r of piece k becomes row r pieces + k.
KERNEL void interleave_rows(BUFFER(const u64, stacked), u64 pieces, u64 count, u64 width, BUFFER(u64, interleaved)) {
    FOR_EACH(k, pieces * count * width) {
        u64 row = k / width, word = k % width;
        AT(interleaved)[k] = AT(stacked)[(row % pieces * count + row / pieces) * width + word];
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
