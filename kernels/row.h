// The words of a row, one after the other, of a matrix that is blocks of rows x degree words side by side: one block if it is
// row-major (degree = width), one a column if it is column-major.

typedef struct {
    GLOBAL const u64 *entry;
    u64 within, degree, stride;
} Row;

DEVICE Row row_of(GLOBAL const u64 *matrix, u64 i, u64 rows, u64 degree) {
    Row row;
    row.entry = matrix + i * degree;
    row.within = 0;
    row.degree = degree;
    row.stride = rows * degree;
    return row;
}

DEVICE u64 row_next(Row *row) {
    u64 word = row->entry[row->within];
    if (++row->within == row->degree) {
        row->within = 0;
        row->entry += row->stride;
    }
    return word;
}
