// Elements of the field of a program: of a prime field, where there is one, or of Goldilocks.

#ifdef FIELD_LIMBS

// Elements of a prime field, which Rust calls fr.
typedef fe element;

DEVICE element element_zero(void) { return fr_zero(); }
DEVICE element element_one(void) { return FR_ONE; }
DEVICE element element_load(GLOBAL const element *from) { return load_fe(from); }
DEVICE void element_store(GLOBAL element *to, element x) { store_fe(to, x); }
DEVICE u32 element_is_zero(element x) { return fe_is_zero(x); }
DEVICE element element_select(u32 first, element a, element b) { return fe_select(first, a, b); }
DEVICE element element_add(element a, element b) { return fr_add(a, b); }
DEVICE element element_sub(element a, element b) { return fr_sub(a, b); }
DEVICE element element_mul(element a, element b) { return fr_mul(a, b); }
DEVICE element element_canonical(element x) { return fr_canonical(x); }

#else

// Elements of Goldilocks.
typedef u64 element;

DEVICE element element_zero(void) { return 0; }
DEVICE element element_one(void) { return 1; }
DEVICE element element_load(GLOBAL const element *from) { return *from; }
DEVICE void element_store(GLOBAL element *to, element x) { *to = x; }
DEVICE u32 element_is_zero(element x) { return x == 0; }
DEVICE element element_select(u32 first, element a, element b) { return first ? a : b; }
DEVICE element element_add(element a, element b) { return gl_add(a, b); }
DEVICE element element_sub(element a, element b) { return gl_sub(a, b); }
DEVICE element element_mul(element a, element b) { return gl_mul(a, b); }
DEVICE element element_canonical(element x) { return x; }

#endif
