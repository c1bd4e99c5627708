// Products that wait for nothing but the one before in their item, to measure how many a device computes in a second: each element is
// multiplied by itself so many times, eight for each step, so it ends as x^(8 steps + 1).

KERNEL void powers(BUFFER(const element, from), BUFFER(element, to), u64 count, u64 steps) {
    FOR_EACH(i, count) {
        const element x = element_load(AT(from) + i);
        element power = x;
        NO_UNROLL
        for (u64 step = 0; step < steps; step++) {
            UNROLL
            for (int j = 0; j < 8; j++) power = element_mul(power, x);
        }
        element_store(AT(to) + i, element_canonical(power));
    }
}
