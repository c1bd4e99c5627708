// The first of the `count` numbers in `ends`, from `low` on, that is behind `at`: there is one, and numbers do not decrease.
DEVICE u32 msm_first_behind(GLOBAL const u32 *ends, u32 low, u32 count, u32 at) {
    u32 high = count - 1;
    while (low < high) {
        const u32 middle = low + (high - low) / 2;
        if (ends[middle] > at) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}
