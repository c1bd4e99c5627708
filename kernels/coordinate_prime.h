// Coordinates of points over a prime field, fq: a coordinate is one of its elements.

#define COORDINATE_DEGREE 1
#define COORDINATE_ONE FQ_ONE
// Of the groups of 128 items that a multiprocessor would have for coordinates of so few registers, those that it has for these.
#if FIELD_LIMBS > 12
// No sum has room in more than two groups leave.
#define COORDINATE_GROUPS(groups) 2
#elif FIELD_LIMBS > 8
// The sum of a point in registers and an affine one, in twelve limbs, has room in the 168 that three groups leave; other sums have not.
#define COORDINATE_GROUPS(groups) ((groups) < 4 ? 2 : 3)
#elif FQ_LAZY
#define COORDINATE_GROUPS(groups) groups
#else
// The last subtraction of a product takes registers: a sum of points has no room in the 128 that four groups leave.
#define COORDINATE_GROUPS(groups) ((groups) < 3 ? (groups) : 3)
#endif
#if FIELD_LIMBS > 8
// What the loops of kernels seldom need is called, and so are products, or they would not fit into the cache of instructions.
#define SELDOM CALLED
#else
// What the loops of kernels seldom need is copied into them nevertheless.
#define SELDOM DEVICE
#endif

typedef fe coordinate;

#define load_coordinate load_fe
#define store_coordinate store_fe
#define coordinate_has_no_bits fe_is_zero
#define coordinate_zero fq_zero
#define coordinate_is_zero fq_is_zero
#define coordinate_canonical fq_canonical
#define coordinate_add fq_add
#define coordinate_sub fq_sub
#define coordinate_neg fq_neg
#if FIELD_LIMBS > 8
CALLED fe coordinate_mul(fe a, fe b) { return fq_mul(a, b); }
#else
#define coordinate_mul fq_mul
#endif
#if FIELD_LIMBS > 12
// A square is a product, which need not be there twice.
DEVICE fe coordinate_square(fe a) { return coordinate_mul(a, a); }
#else
#define coordinate_square fq_square
#endif
