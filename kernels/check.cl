// Whether elements of a field are below its modulus, of words that the host has not seen: those of other libraries in the device's memory.
//
// An element is `limbs` words, from one to four, the lowest first; so is the modulus, in m0 to m3. `found` is a word of zero, in which one
// remains if any element is not below: all items that write to it write that.

KERNEL void check_below(BUFFER(const u64, elements), u64 count, u64 limbs, u64 m0, u64 m1, u64 m2, u64 m3, BUFFER(u64, found)) {
    FOR_EACH(k, count) {
        // The borrow of element - modulus.
        u64 borrow = 0;
        for (u64 i = 0; i < limbs; i++) {
            u64 limb = AT(elements)[k * limbs + i];
            u64 bound = i == 0 ? m0 : i == 1 ? m1 : i == 2 ? m2 : m3;
            borrow = limb < bound || (limb == bound && borrow) ? 1 : 0;
        }
        if (!borrow) AT(found)[0] = 1;
    }
}
