// Whether elements of a field are below its modulus, of words that the host has not seen: those of other libraries in the device's memory, and
// those of the host where they are many.
//
// An element is `limbs` words, from one to four, the lowest first; so is the modulus, in m0 to m3. `found` is a word of zero, in which one
// remains if any element is not below: all items that write to it write that.
//
// Memory binds: an item has four words on their way at a time, those of one element or of four elements of one word each.

// The borrow of word - bound - borrow.
DEVICE u64 borrow_of(u64 word, u64 bound, u64 borrow) {
    return word < bound || (word == bound && borrow) ? 1 : 0;
}

KERNEL void check_below(BUFFER(const u64, elements), u64 count, u64 limbs, u64 m0, u64 m1, u64 m2, u64 m3, BUFFER(u64, found)) {
    const u64 modulus[4] = {m0, m1, m2, m3};
    const u64 stride = limbs == 1 ? (count + 3) / 4 : count;
    FOR_EACH(k, stride) {
        u64 words[4];
        u64 below;
        if (limbs == 1) {
            // Neighbours read neighbouring words each time; the last element stands for those that are not there.
            UNROLL for (u64 i = 0; i < 4; i++) {
                u64 element = k + i * stride;
                words[i] = AT(elements)[element < count ? element : count - 1];
            }
            below = 1;
            UNROLL for (u64 i = 0; i < 4; i++) below &= words[i] < m0 ? 1 : 0;
        } else {
            // A word that is not there is equal to its bound, which changes no borrow.
            UNROLL for (u64 i = 0; i < 4; i++) words[i] = i < limbs ? AT(elements)[k * limbs + i] : modulus[i];
            below = 0;
            UNROLL for (u64 i = 0; i < 4; i++) below = borrow_of(words[i], modulus[i], below);
        }
        if (!below) AT(found)[0] = 1;
    }
}
