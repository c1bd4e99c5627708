//! The constants of RpJive64_256, as canonical words.
//!
//! The round constants are what the procedure of the Rescue-Prime specification (Szepieniec, Ashur, Dhooghe, eprint 2020/1143,
//! section 2) yields: SHAKE256 of `Rescue-XLIX(18446744069414584321,8,4,128)`, nine bytes a word; a test derives them again.

/// Rounds of the permutation.
pub const ROUNDS: usize = 7;

/// Words of the state.
pub const WIDTH: usize = 8;

/// The first row of the MDS matrix; each row is the one above it, rotated right by one.
pub const MDS_CIRCULANT_ROW: [u64; WIDTH] = [23, 8, 13, 10, 7, 6, 21, 8];

/// Added after the first linear layer of each round.
#[rustfmt::skip]
pub const ARK1: [[u64; WIDTH]; ROUNDS] = [
    [
        0x48dc4d4899f9ea51, 0xf9ae2fdfb671c2a2, 0xd5370967c6e931fd, 0x68c8605b1712cb98,
        0x09cb4f4e60c7e35c, 0xcc411fd2ecb7184e, 0xd8ac59b4dc74caac, 0x7a81fc5c89849737,
    ],
    [
        0x3503bcd9e97dedf2, 0x2efb8e683dc769b9, 0xdf5be4db53ec2f57, 0xe24115bb13b12dba,
        0x78703700acdb1e6c, 0x06ea36151155e79d, 0xf54e5231f803cd33, 0xd0142049d496aa65,
    ],
    [
        0xc5e156a585efbce8, 0x16fb321e2803c594, 0x629a135b4cbc4b90, 0xa47c19f17c6122f3,
        0xf73fb577343a393e, 0x37426c75c7c0acd7, 0x26f6226e0bcd1599, 0xcfcf1f71b232a6b0,
    ],
    [
        0xdd5016c3790109a5, 0xcbfa7d1b0514b124, 0xc35bd2fc284bdcbe, 0x27b011e5661fee67,
        0x44a0d347e872f173, 0xd2b5e0b8f83e6f53, 0x697eee98a6be042a, 0x59e3b9a6424b686a,
    ],
    [
        0xfcc42dfaa9787ba5, 0x8b37afc23e2b8bbd, 0x52e08d84e86667d5, 0x443c2001b7e37af4,
        0x3226da2e2816de96, 0xe7f7d866987ef7ed, 0xcaa88bb146922f16, 0x53ca795efd843970,
    ],
    [
        0x99f05e66ef2138e7, 0xc967c7e09f5b8d77, 0xb01e5c6cd3434d00, 0x42b7280044f20d40,
        0x48446bfa283c9d01, 0x52dcdc2d37ba4ee7, 0xf58362fe1b35f4c6, 0x25e9a1dde599478b,
    ],
    [
        0x815acf2b71c206f5, 0x735dde3098e9aedd, 0xd58f37ecea7571d9, 0xe98697abebe24454,
        0x662bf4f9941897c5, 0x4c59760b71c2ebab, 0xeb5bc3da23eb4bd1, 0xd1f11656eb857389,
    ],
];

/// Added after the second linear layer of each round.
#[rustfmt::skip]
pub const ARK2: [[u64; WIDTH]; ROUNDS] = [
    [
        0x88d6000f340065ab, 0x90360121bb76ba19, 0x4533eb127a8d352b, 0xf6c6461666615df2,
        0x5f9a5d7ddaf81433, 0x7c37be07d68ba565, 0xec99ad2e14346553, 0xc451c6c465c7fe5b,
    ],
    [
        0x09d1cac488a5e34a, 0x5d537898181b71ca, 0xdec6f49134643525, 0x1b48b1ca07a6b18e,
        0x82ac738f89fb1bdd, 0x0908cc91dfee154f, 0x8af85a7124835202, 0xc7d790cef7bc0ea9,
    ],
    [
        0x633749756cff8d66, 0x627adb8d9faa99e2, 0xa9463bd5d97b5889, 0xb1b24a08d03e4450,
        0xf19b380c0c2b9af2, 0x27225943c47577c7, 0xdbb5504da65f774e, 0xd8e80153dc9d71d6,
    ],
    [
        0xf92748d77629c057, 0x56063f1ce396cfab, 0x7f16c812191adfec, 0x83bf18af10987909,
        0xde782cfdade79980, 0x41c6d4cbe4854f97, 0xfdc98bfe3724684a, 0x7a199803e43a9295,
    ],
    [
        0xa15389d8d9dd9a04, 0xb35c9691c9debd23, 0x9b5356e91d08be51, 0xc728a3ffca5b56a1,
        0x5c4622e25a450c6a, 0x1d3c0838581c96b9, 0xac8f7185c6973979, 0x706ddfad2aeb6c91,
    ],
    [
        0xc1426eff7b91f8aa, 0xddc866f470fdb6c5, 0xf172cd604c912846, 0xf129c49dfcdd3ebb,
        0x47cdb7283d89477c, 0x332f19abc517fc6b, 0xe080445bd93d1ae6, 0x59f77cc2fb1fa50b,
    ],
    [
        0x7fa28b567cf63297, 0x18aab8654c1f7de1, 0x467df2d6691d51c5, 0xd1478088a7464cde,
        0x3b617a4ce55c301f, 0x5bbae0ffffa2eef7, 0x090b1b72fd19db1c, 0xc85093e3704e2144,
    ],
];
