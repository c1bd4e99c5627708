// Products of vectors, element by element. The result may take the place of an operand.

KERNEL void multiply(BUFFER(const fe, a), BUFFER(const fe, b), BUFFER(fe, to), u64 count) {
    FOR_EACH(i, count) {
        store_fe(AT(to) + i, fr_canonical(fr_mul(load_fe(AT(a) + i), load_fe(AT(b) + i))));
    }
}

// a b - c.
KERNEL void multiply_subtract(BUFFER(const fe, a), BUFFER(const fe, b), BUFFER(const fe, c), BUFFER(fe, to), u64 count) {
    FOR_EACH(i, count) {
        const fe product = fr_mul(load_fe(AT(a) + i), load_fe(AT(b) + i));
        store_fe(AT(to) + i, fr_canonical(fr_sub(product, load_fe(AT(c) + i))));
    }
}
