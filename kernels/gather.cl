// Rows of a matrix by their indices, side by side: what is opened of data that stay on the device.
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
