// Few hashes: four items share one. Item t has words t, t + 4, t + 8 and so on, one of each group of four words, so that the outer matrix's sums over groups are its own.
// Each layer goes through work-group memory: two buffers in turn, one barrier a layer.

#define TEAM 4
#define TEAM_THREADS 128
#define PARTS (SPONGE_WIDTH / TEAM)
#define TEAM_ROUNDS (2 * POSEIDON2_HALF_FULL_ROUNDS)

// What the teams of a group share.
typedef struct {
    u64 words[2][TEAM_THREADS * PARTS];
    u64 full[TEAM_ROUNDS * SPONGE_WIDTH];
    u64 partial[POSEIDON2_PARTIAL_ROUNDS];
} Shared;

// An item's view of it.
typedef struct {
    LOCAL_POINTER Shared *shared;
    u32 team, lane, turn;
    u64 diagonal[PARTS];
} Member;

DEVICE Member join_team(LOCAL_POINTER Shared *shared) {
    const u32 item = (u32)local_id(), step = (u32)local_size(), initial = POSEIDON2_HALF_FULL_ROUNDS * SPONGE_WIDTH;
    NO_UNROLL
    for (u32 i = item; i < initial; i += step) {
        shared->full[i] = POSEIDON2_INITIAL[i];
        shared->full[initial + i] = POSEIDON2_TERMINAL[i];
    }
    NO_UNROLL
    for (u32 i = item; i < POSEIDON2_PARTIAL_ROUNDS; i += step) shared->partial[i] = POSEIDON2_PARTIAL[i];
    Member member;
    member.shared = shared;
    member.team = item / TEAM;
    member.lane = item % TEAM;
    member.turn = 0;
    UNROLL
    for (u32 k = 0; k < PARTS; k++) member.diagonal[k] = POSEIDON2_DIAGONAL_R[TEAM * k + member.lane];
    BARRIER();
    return member;
}

// The team's words in the buffer whose turn it is.
DEVICE LOCAL_POINTER u64 *team_words(Member *member) {
    member->turn ^= 1;
    return member->shared->words[member->turn] + member->team * SPONGE_WIDTH;
}

DEVICE void team_outer(Member *member, u64 *x) {
    LOCAL_POINTER u64 *words = team_words(member);
    const u32 t = member->lane;
    UNROLL
    for (u32 k = 0; k < PARTS; k++) words[TEAM * k + t] = x[k];
    TEAM_BARRIER();
    // Item t has row t of the circulant (2, 3, 1, 1) of each group: the sum of the group, its own word, and twice the next.
    u64 low[PARTS], high[PARTS], low_sum = 0, high_sum = 0;
    UNROLL
    for (u32 k = 0; k < PARTS; k++) {
        LOCAL_POINTER const u64 *group = words + TEAM * k;
        u64 own = x[k], next = group[(t + 1) % 4], third = group[(t + 2) % 4], fourth = group[(t + 3) % 4];
        low[k] = 2 * (u64)(u32)own + 3 * (u64)(u32)next + (u32)third + (u32)fourth;
        high[k] = 2 * (own >> 32) + 3 * (next >> 32) + (third >> 32) + (fourth >> 32);
        low_sum += low[k];
        high_sum += high[k];
    }
    UNROLL
    for (u32 k = 0; k < PARTS; k++) x[k] = join_halves(low[k] + low_sum, high[k] + high_sum);
}

DEVICE void team_inner(Member *member, u64 *x) {
    LOCAL_POINTER u64 *words = team_words(member);
    const u32 t = member->lane;
    u64 low = 0, high = 0;
    UNROLL
    for (u32 k = 0; k < PARTS; k++) {
        low += (u32)x[k];
        high += x[k] >> 32;
    }
    words[2 * t] = low;
    words[2 * t + 1] = high;
    TEAM_BARRIER();
    UNROLL
    for (u32 i = 1; i < TEAM; i++) {
        const u32 other = (t + i) % TEAM;
        low += words[2 * other];
        high += words[2 * other + 1];
    }
    const u64 sum = join_halves(low, high);
    UNROLL
    for (u32 k = 0; k < PARTS; k++) x[k] = gl_add(mont_product(x[k], member->diagonal[k]), sum);
}

DEVICE void team_full_rounds(Member *member, u64 *x, u32 from) {
    NO_UNROLL
    for (u32 round = from; round < from + POSEIDON2_HALF_FULL_ROUNDS; round++) {
        LOCAL_POINTER const u64 *constants = member->shared->full + round * SPONGE_WIDTH + member->lane;
        UNROLL
        for (u32 k = 0; k < PARTS; k++) x[k] = power_seven_one(gl_add(x[k], constants[TEAM * k]));
        team_outer(member, x);
    }
}

// Canonical in, canonical out.
DEVICE void team_permute(Member *member, u64 *x) {
    team_outer(member, x);
    team_full_rounds(member, x, 0);
    NO_UNROLL
    for (u32 round = 0; round < POSEIDON2_PARTIAL_ROUNDS; round++) {
        const u64 power = power_seven_one(gl_add(x[0], member->shared->partial[round]));
        x[0] = member->lane == 0 ? power : x[0];
        team_inner(member, x);
    }
    team_full_rounds(member, x, POSEIDON2_HALF_FULL_ROUNDS);
}

DEVICE void store_team_digest(GLOBAL u64 *digest, const Member *member, const u64 *x) {
    UNROLL
    for (u32 k = 0; k < PARTS; k++) {
        const u32 word = TEAM * k + member->lane - SPONGE_RATE_WORD;
        if (word < 4) digest[word] = x[k];
    }
}

// As merge_level. Teams beyond the level hash along: barriers need every item.
BOUNDED_KERNEL(TEAM_THREADS, 1) merge_team(BUFFER(u64, heap), u64 parents) {
    LOCAL Shared shared;
    Member member = join_team(&shared);
    const u64 number = global_id() / TEAM;
    const u64 node = parents + (number < parents ? number : 0);
    u64 x[PARTS];
    UNROLL
    for (u32 k = 0; k < PARTS; k++) {
        const u32 word = TEAM * k + member.lane, child = word - SPONGE_PAIR_WORD;
        x[k] = word == SPONGE_CAPACITY_WORD ? SPONGE_START(8) : 0;
        if (child < 8) x[k] = AT(heap)[8 * node + child];
    }
    team_permute(&member, x);
    if (number < parents) store_team_digest(AT(heap) + 4 * node, &member, x);
}

// As hash_rows.
BOUNDED_KERNEL(TEAM_THREADS, 1) hash_rows_team(BUFFER(const u64, matrix), u64 rows, u64 width, u64 degree, BUFFER(u64, digests)) {
    LOCAL Shared shared;
    Member member = join_team(&shared);
    const u64 number = global_id() / TEAM, row = number < rows ? number : 0;
    // Of each word of the rate: where its next element is in the matrix, and how many elements are before it in its block's row. A step is SPONGE_RATE elements.
    const u64 blocks = SPONGE_RATE / degree, rest = SPONGE_RATE % degree;
    u64 x[PARTS], at[PARTS], within[PARTS], next[PARTS];
    UNROLL
    for (u32 k = 0; k < PARTS; k++) {
        const u32 word = TEAM * k + member.lane, place = word - SPONGE_RATE_WORD;
        x[k] = word == SPONGE_CAPACITY_WORD ? SPONGE_START(width) : 0;
        within[k] = place % degree;
        at[k] = (place / degree * rows + row) * degree + within[k];
        next[k] = place < SPONGE_RATE && place < width ? AT(matrix)[at[k]] : 0;
    }
    NO_UNROLL
    for (u64 absorbed = 0; absorbed < width; absorbed += SPONGE_RATE) {
        UNROLL
        for (u32 k = 0; k < PARTS; k++) {
            const u32 place = TEAM * k + member.lane - SPONGE_RATE_WORD;
            if (place >= SPONGE_RATE) continue;
            x[k] = absorbed + place < width ? SPONGE_ABSORB(x[k], next[k]) : SPONGE_REST(absorbed + place - width, x[k]);
            at[k] += blocks * rows * degree + rest;
            within[k] += rest;
            if (within[k] >= degree) {
                within[k] -= degree;
                at[k] += (rows - 1) * degree;
            }
            // Loaded while the permutation runs.
            if (absorbed + place + SPONGE_RATE < width) next[k] = AT(matrix)[at[k]];
        }
        team_permute(&member, x);
    }
    if (number < rows) store_team_digest(AT(digests) + 4 * row, &member, x);
}
