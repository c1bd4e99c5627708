/* Elements of BN254 in Montgomery form: x 2^256 modulo q (coordinates) or r (scalars), the lowest word first. */
#ifndef CONSTANTS_H
#define CONSTANTS_H

#include "zkaccel.h"

/* The order of the group, as it is. */
static const uint64_t ORDER[4] = {UINT64_C(0x43e1f593f0000001), UINT64_C(0x2833e84879b97091), UINT64_C(0xb85045b68181585d), UINT64_C(0x30644e72e131a029)};

static const zka_bn254_fr ONE = {{UINT64_C(0xac96341c4ffffffb), UINT64_C(0x36fc76959f60cd29), UINT64_C(0x666ea36f7879462e), UINT64_C(0x0e0a77c19a07df2f)}};
static const zka_bn254_fr MINUS_ONE = {{UINT64_C(0x974bc177a0000006), UINT64_C(0xf13771b2da58a367), UINT64_C(0x51e1a2470908122e), UINT64_C(0x2259d6b14729c0fa)}};

/* 7^((r - 1) / 8), a root of unity of order 8: halo2curves' convention. Its square. */
static const zka_bn254_fr OMEGA_8 = {{UINT64_C(0xf8ad4ae2b5ad7c3f), UINT64_C(0x2d60c6ff83cb85be), UINT64_C(0xd976fd2b5d9429f7), UINT64_C(0x24407ce73f9ad9a9)}};
static const zka_bn254_fr OMEGA_4 = {{UINT64_C(0x7f753d979edcef8b), UINT64_C(0x5f3f172cb1479120), UINT64_C(0x8db1627974096c6e), UINT64_C(0x2b377b3539c108cf)}};

/* The generator (1, 2), and twice it by the tangent. */
static const zka_bn254_g1_aff G = {{{UINT64_C(0xd35d438dc58f0d9d), UINT64_C(0x0a78eb28f5c70b3d), UINT64_C(0x666ea36f7879462c), UINT64_C(0x0e0a77c19a07df2f)}}, {{UINT64_C(0xa6ba871b8b1e1b3a), UINT64_C(0x14f1d651eb8e167b), UINT64_C(0xccdd46def0f28c58), UINT64_C(0x1c14ef83340fbe5e)}}};
static const zka_bn254_g1_aff TWO_G = {
    {{UINT64_C(0xe10460b6c3e7ea38), UINT64_C(0xbc0b548b438e5469), UINT64_C(0xc2822db40c0ac2ec), UINT64_C(0x13227397098d014d)}},
    {{UINT64_C(0x3c208c16d87cfd47), UINT64_C(0x97816a916871ca8d), UINT64_C(0xb85045b68181585d), UINT64_C(0x04644e72e131a029)}}};

/* A coordinate of 1. */
static const zka_bn254_fp FP_ONE = {{UINT64_C(0xd35d438dc58f0d9d), UINT64_C(0x0a78eb28f5c70b3d), UINT64_C(0x666ea36f7879462c), UINT64_C(0x0e0a77c19a07df2f)}};

/* The prime of the coordinates as it is, and the coordinate -1. */
static const uint64_t PRIME[4] = {UINT64_C(0x3c208c16d87cfd47), UINT64_C(0x97816a916871ca8d), UINT64_C(0xb85045b68181585d), UINT64_C(0x30644e72e131a029)};
static const zka_bn254_fp FP_MINUS_ONE = {{UINT64_C(0x68c3488912edefaa), UINT64_C(0x8d087f6872aabf4f), UINT64_C(0x51e1a24709081231), UINT64_C(0x2259d6b14729c0fa)}};

/* On Grumpkin, with coordinates modulo r: the generator (1, sqrt(-16)), twice it by the tangent, three times it by the chord. */
static const uint64_t GRUMPKIN[3][8] = {
    {UINT64_C(0xac96341c4ffffffb), UINT64_C(0x36fc76959f60cd29), UINT64_C(0x666ea36f7879462e), UINT64_C(0x0e0a77c19a07df2f),
     UINT64_C(0x11b2dff1448c41d8), UINT64_C(0x23d3446f21c77dc3), UINT64_C(0xaa7b8cf435dfafbb), UINT64_C(0x14b34cf69dc25d68)},
    {UINT64_C(0x2e9782ef4000000c), UINT64_C(0xe26ee365b4b146cf), UINT64_C(0xa3c3448e1210245d), UINT64_C(0x20b3ad628e5381f4),
     UINT64_C(0xe9fddd3bf654f246), UINT64_C(0xbe9ae439240bc412), UINT64_C(0x38986639e6ba62d9), UINT64_C(0x1445f88e0293cd1f)},
    {UINT64_C(0x0c44637cc3bc264d), UINT64_C(0xb8da5aeaf7214d6c), UINT64_C(0xa227e2764d2e0816), UINT64_C(0x1c6838634a8d8323),
     UINT64_C(0xcd90a7da70b3c74c), UINT64_C(0xc7edac49535beac2), UINT64_C(0x3b11f52f49ed2eb7), UINT64_C(0x062e72243fe40c0c)}};

/* The generators (-1, 2) of Pallas and of Vesta: the coordinates of each are the scalars -1 and 2 of the other. */
static const uint64_t PASTA[2][8] = {
    {UINT64_C(0x64b4c3b400000004), UINT64_C(0x891a63f02533e46e), 0, 0, UINT64_C(0xcfc3a984fffffff9), UINT64_C(0x1011d11bbee5303e),
     UINT64_C(0xffffffffffffffff), UINT64_C(0x3fffffffffffffff)},
    {UINT64_C(0x311bac8400000004), UINT64_C(0x891a63f02652a376), 0, 0, UINT64_C(0x2a0f9218fffffff9), UINT64_C(0x1011d11bbcef61f1),
     UINT64_C(0xffffffffffffffff), UINT64_C(0x3fffffffffffffff)}};
/* The prime of Vesta's coordinates, which are Pallas' scalars, as it is. */
static const uint64_t PASTA_Q[4] = {UINT64_C(0x8c46eb2100000001), UINT64_C(0x224698fc0994a8dd), 0, UINT64_C(0x4000000000000000)};

/* On the curve of BLS12-381's G1: the generator, and the point with x = 4, which is not in the group. */
static const uint64_t BLS12_381[2][12] = {
    {UINT64_C(0x5cb38790fd530c16), UINT64_C(0x7817fc679976fff5), UINT64_C(0x154f95c7143ba1c1), UINT64_C(0xf0ae6acdf3d0e747),
     UINT64_C(0xedce6ecc21dbf440), UINT64_C(0x120177419e0bfb75), UINT64_C(0xbaac93d50ce72271), UINT64_C(0x8c22631a7918fd8e),
     UINT64_C(0xdd595f13570725ce), UINT64_C(0x51ac582950405194), UINT64_C(0x0e1c8c3fad0059c0), UINT64_C(0x0bbc3efc5008a26a)},
    {UINT64_C(0xaa270000000cfff3), UINT64_C(0x53cc0032fc34000a), UINT64_C(0x478fe97a6b0a807f), UINT64_C(0xb1d37ebee6ba24d7),
     UINT64_C(0x8ec9733bbf78ab2f), UINT64_C(0x09d645513d83de7e), UINT64_C(0x7dff631d6226147e), UINT64_C(0x5c55ffc4b44c94fa),
     UINT64_C(0x534c4ac7ceb2ccdc), UINT64_C(0xc0ab57110acde4d4), UINT64_C(0x3c7dcb0ca04868bd), UINT64_C(0x161ba5d4e93d72c7)}};
/* On the curve of its G2 likewise, c0 before c1: the generator, and the point with x = 2. */
static const uint64_t BLS12_381_TWISTED[2][24] = {
    {UINT64_C(0xf5f28fa202940a10), UINT64_C(0xb3f5fb2687b4961a), UINT64_C(0xa1a893b53e2ae580), UINT64_C(0x9894999d1a3caee9),
     UINT64_C(0x6f67b7631863366b), UINT64_C(0x058191924350bcd7), UINT64_C(0xa5a9c0759e23f606), UINT64_C(0xaaa0c59dbccd60c3),
     UINT64_C(0x3bb17e18e2867806), UINT64_C(0x1b1ab6cc8541b367), UINT64_C(0xc2b6ed0ef2158547), UINT64_C(0x11922a097360edf3),
     UINT64_C(0x4c730af860494c4a), UINT64_C(0x597cfa1f5e369c5a), UINT64_C(0xe7e6856caa0a635a), UINT64_C(0xbbefb5e96e0d495f),
     UINT64_C(0x07d3a975f0ef25a2), UINT64_C(0x0083fd8e7e80dae5), UINT64_C(0xadc0fc92df64b05d), UINT64_C(0x18aa270a2b1461dc),
     UINT64_C(0x86adac6a3be4eba0), UINT64_C(0x79495c4ec93da33a), UINT64_C(0xe7175850a43ccaed), UINT64_C(0x0b2bc2a163de1bf2)},
    {UINT64_C(0x321300000006554f), UINT64_C(0xb93c0018d6c40005), UINT64_C(0x57605e0db0ddbb51), UINT64_C(0x8b256521ed1f9bcb),
     UINT64_C(0x6cf28d7901622c03), UINT64_C(0x11ebab9dbb81e28c), UINT64_C(0x0000000000000000), UINT64_C(0x0000000000000000),
     UINT64_C(0x0000000000000000), UINT64_C(0x0000000000000000), UINT64_C(0x0000000000000000), UINT64_C(0x0000000000000000),
     UINT64_C(0xc97a5643393d4adc), UINT64_C(0x2e28e547a9a8310c), UINT64_C(0x118a41beee88c072), UINT64_C(0x729bc3e29bb97c81),
     UINT64_C(0x848a8d0e86bbffd0), UINT64_C(0x17544bb7a8eb3f13), UINT64_C(0xb2b2c0c8a72ce0ce), UINT64_C(0x0dafe32c1ddd015e),
     UINT64_C(0x8a229a651637f0e2), UINT64_C(0x4717c62b571e1dd2), UINT64_C(0x0ca9feb72ed80c15), UINT64_C(0x16d59e5082be7d93)}};
/* The scalars 3 and -2. */
static const uint64_t THREE_AND_MINUS_TWO[8] = {
    UINT64_C(0x00000005fffffffa), UINT64_C(0x098e27ee0009d806), UINT64_C(0xcca4efcfc634efe0), UINT64_C(0x486e140d064f104e),
    UINT64_C(0xfffffffb00000005), UINT64_C(0xa2b4340efff7cbfa), UINT64_C(0x002138283029381a), UINT64_C(0x43a4449fd0137269)};
/* The prime of its coordinates, as it is. */
static const uint64_t BLS12_381_Q[6] = {UINT64_C(0xb9feffffffffaaab), UINT64_C(0x1eabfffeb153ffff), UINT64_C(0x6730d2a0f6b0f624),
                                        UINT64_C(0x64774b84f38512bf), UINT64_C(0x4b1ba7b6434bacd7), UINT64_C(0x1a0111ea397fe69a)};

/* On the curve of G2: the generator of EIP-197, twice it and three times it; x and y, of each c0 before c1. */
static const uint64_t G2_POINTS[3][16] = {
    {UINT64_C(0x8e83b5d102bc2026), UINT64_C(0xdceb1935497b0172), UINT64_C(0xfbb8264797811adf), UINT64_C(0x19573841af96503b),
     UINT64_C(0xafb4737da84c6140), UINT64_C(0x6043dd5a5802d8c4), UINT64_C(0x09e950fc52a02f86), UINT64_C(0x14fef0833aea7b6b),
     UINT64_C(0x619dfa9d886be9f6), UINT64_C(0xfe7fd297f59e9b78), UINT64_C(0xff9e1a62231b7dfe), UINT64_C(0x28fd7eebae9e4206),
     UINT64_C(0x64095b56c71856ee), UINT64_C(0xdc57f922327d3cbb), UINT64_C(0x55f935be33351076), UINT64_C(0x0da4a0e693fd6482)},
    {UINT64_C(0x42d3ae372af7a579), UINT64_C(0xd2f609cbc0a293b5), UINT64_C(0x57c1c76166f89ced), UINT64_C(0x2ee858391ef2cc42),
     UINT64_C(0xa856e093920a72b8), UINT64_C(0x63806a546d033f3e), UINT64_C(0x1e7eeefa55543dec), UINT64_C(0x056ca0f5743c0a90),
     UINT64_C(0xbcd0a4b05c092587), UINT64_C(0x5977f684ad4ff6ba), UINT64_C(0x4fde1ced78e96a59), UINT64_C(0x02750f99cf18d82e),
     UINT64_C(0x332573d63fab5b02), UINT64_C(0xa83429e5be54f062), UINT64_C(0xaee376c3d20111f4), UINT64_C(0x0e103b8b9272ef7d)},
    {UINT64_C(0x728e60a3cda7c735), UINT64_C(0xf1d17c2ca3f29496), UINT64_C(0xeae4e9c131d0e140), UINT64_C(0x0f5a29f9a0942bb1),
     UINT64_C(0x81297b927cde7e87), UINT64_C(0x66a2e0329eec53de), UINT64_C(0x48b0912f52192647), UINT64_C(0x11cbbf9303de733f),
     UINT64_C(0xa79080afd36928fc), UINT64_C(0x6734e40d038173c1), UINT64_C(0xff85e5817c31268f), UINT64_C(0x11007f4f4b29d42e),
     UINT64_C(0x4b20c767b1f723d6), UINT64_C(0x4e25c0b43617a1ea), UINT64_C(0xfb965e9a5400eb07), UINT64_C(0x012ccb96205a184b)}};

/* A point of that curve which is not in the group: x = 1. */
static const uint64_t OUTSIDE_G2[16] = {
     UINT64_C(0xd35d438dc58f0d9d), UINT64_C(0x0a78eb28f5c70b3d), UINT64_C(0x666ea36f7879462c), UINT64_C(0x0e0a77c19a07df2f),
     UINT64_C(0x0), UINT64_C(0x0), UINT64_C(0x0), UINT64_C(0x0),
     UINT64_C(0xe7b9b83ed236ee36), UINT64_C(0x8d6d63e7f7ec7fc2), UINT64_C(0x6abed1add641419f), UINT64_C(0x1540477b26fd0190),
     UINT64_C(0x7cb7415746f47b61), UINT64_C(0x7311a4b3ddea4109), UINT64_C(0x3decbdb61e10ad93), UINT64_C(0x073c649f030d95db)};

#endif
