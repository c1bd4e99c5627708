//! The constants of Rescue Prime over Goldilocks with a state of 12 words, as canonical words.
//!
//! The round constants are those of winterfell (`ARK1`, `ARK2`), the same in both variants here. They are *not* what
//! the SHAKE256 procedure of the Rescue-Prime specification (Szepieniec, Ashur, Dhooghe, eprint 2020/1143, section
//! 2) yields for these parameters, so they are embedded. `vectors/rp64_256_constants.json` holds them too, and a test pins both by SHA-256.

use super::keccak::Shake256;
use crate::field::{Goldilocks, MODULUS};

/// Rounds of the permutation: 128 bits of security with a margin of 40 %.
pub const ROUNDS: usize = 7;

/// Words of the state.
pub const WIDTH: usize = 12;

/// Added after the first linear layer of each round.
pub const ARK1: [[u64; WIDTH]; ROUNDS] = [
    [
        13917550007135091859,
        16002276252647722320,
        4729924423368391595,
        10059693067827680263,
        9804807372516189948,
        15666751576116384237,
        10150587679474953119,
        13627942357577414247,
        2323786301545403792,
        615170742765998613,
        8870655212817778103,
        10534167191270683080,
    ],
    [
        14572151513649018290,
        9445470642301863087,
        6565801926598404534,
        12667566692985038975,
        7193782419267459720,
        11874811971940314298,
        17906868010477466257,
        1237247437760523561,
        6829882458376718831,
        2140011966759485221,
        1624379354686052121,
        50954653459374206,
    ],
    [
        16288075653722020941,
        13294924199301620952,
        13370596140726871456,
        611533288599636281,
        12865221627554828747,
        12269498015480242943,
        8230863118714645896,
        13466591048726906480,
        10176988631229240256,
        14951460136371189405,
        5882405912332577353,
        18125144098115032453,
    ],
    [
        6076976409066920174,
        7466617867456719866,
        5509452692963105675,
        14692460717212261752,
        12980373618703329746,
        1361187191725412610,
        6093955025012408881,
        5110883082899748359,
        8578179704817414083,
        9311749071195681469,
        16965242536774914613,
        5747454353875601040,
    ],
    [
        13684212076160345083,
        19445754899749561,
        16618768069125744845,
        278225951958825090,
        4997246680116830377,
        782614868534172852,
        16423767594935000044,
        9990984633405879434,
        16757120847103156641,
        2103861168279461168,
        16018697163142305052,
        6479823382130993799,
    ],
    [
        13957683526597936825,
        9702819874074407511,
        18357323897135139931,
        3029452444431245019,
        1809322684009991117,
        12459356450895788575,
        11985094908667810946,
        12868806590346066108,
        7872185587893926881,
        10694372443883124306,
        8644995046789277522,
        1422920069067375692,
    ],
    [
        17619517835351328008,
        6173683530634627901,
        15061027706054897896,
        4503753322633415655,
        11538516425871008333,
        12777459872202073891,
        17842814708228807409,
        13441695826912633916,
        5950710620243434509,
        17040450522225825296,
        8787650312632423701,
        7431110942091427450,
    ],
];

/// Added after the second linear layer of each round.
pub const ARK2: [[u64; WIDTH]; ROUNDS] = [
    [
        7989257206380839449,
        8639509123020237648,
        6488561830509603695,
        5519169995467998761,
        2972173318556248829,
        14899875358187389787,
        14160104549881494022,
        5969738169680657501,
        5116050734813646528,
        12120002089437618419,
        17404470791907152876,
        2718166276419445724,
    ],
    [
        2485377440770793394,
        14358936485713564605,
        3327012975585973824,
        6001912612374303716,
        17419159457659073951,
        11810720562576658327,
        14802512641816370470,
        751963320628219432,
        9410455736958787393,
        16405548341306967018,
        6867376949398252373,
        13982182448213113532,
    ],
    [
        10436926105997283389,
        13237521312283579132,
        668335841375552722,
        2385521647573044240,
        3874694023045931809,
        12952434030222726182,
        1972984540857058687,
        14000313505684510403,
        976377933822676506,
        8407002393718726702,
        338785660775650958,
        4208211193539481671,
    ],
    [
        2284392243703840734,
        4500504737691218932,
        3976085877224857941,
        2603294837319327956,
        5760259105023371034,
        2911579958858769248,
        18415938932239013434,
        7063156700464743997,
        16626114991069403630,
        163485390956217960,
        11596043559919659130,
        2976841507452846995,
    ],
    [
        15090073748392700862,
        3496786927732034743,
        8646735362535504000,
        2460088694130347125,
        3944675034557577794,
        14781700518249159275,
        2857749437648203959,
        8505429584078195973,
        18008150643764164736,
        720176627102578275,
        7038653538629322181,
        8849746187975356582,
    ],
    [
        17427790390280348710,
        1159544160012040055,
        17946663256456930598,
        6338793524502945410,
        17715539080731926288,
        4208940652334891422,
        12386490721239135719,
        10010817080957769535,
        5566101162185411405,
        12520146553271266365,
        4972547404153988943,
        5597076522138709717,
    ],
    [
        18338863478027005376,
        115128380230345639,
        4427489889653730058,
        10890727269603281956,
        7094492770210294530,
        7345573238864544283,
        6834103517673002336,
        14002814950696095900,
        15939230865809555943,
        12717309295554119359,
        4130723396860574906,
        7706153020203677238,
    ],
];

/// First row of the circulant MDS matrix of `Rp64_256`; each further row is the one above rotated right by one.
pub const MDS_CIRCULANT_ROW: [u64; WIDTH] = [7, 23, 8, 26, 13, 10, 9, 7, 6, 22, 21, 8];

/// The MDS matrix of `Rp64_256V2021`; row major.
///
/// The specification derives it from the Vandermonde matrix of g^(i j), i < 12, j < 24, g = 7 (section 2.3, algorithm 5): in its echelon
/// form (1 | M), M is the transposed matrix. So row j has the coefficients of values at g^k in that at g^(12 + j), those of Lagrange's
/// interpolation: the products of (g^(12 + j) - g^l) / (g^k - g^l) over all l other than k.
pub const MDS_2021: [[u64; WIDTH]; WIDTH] = {
    let (mut matrix, mut i) = ([[0; WIDTH]; WIDTH], 0);
    while i < WIDTH * WIDTH {
        let (j, k) = (i / WIDTH, i % WIDTH);
        let (mut numerator, mut denominator, mut l) = (1, 1, 0);
        while l < WIDTH {
            if l != k {
                let node = MODULUS - power(7, l as u64);
                numerator = product(numerator, power(7, (WIDTH + j) as u64), node);
                denominator = product(denominator, power(7, k as u64), node);
            }
            l += 1;
        }
        matrix[j][k] = product(numerator, power(denominator, MODULUS - 2), 0);
        i += 1;
    }
    matrix
};

/// a (b + c) modulo p.
const fn product(a: u64, b: u64, c: u64) -> u64 {
    let sum = Goldilocks::from_u128(b as u128 + c as u128).as_u64();
    Goldilocks::from_u128(a as u128 * sum as u128).as_u64()
}

/// x^exponent modulo p.
const fn power(x: u64, exponent: u64) -> u64 {
    let (mut power, mut bit) = (1, u64::BITS - exponent.leading_zeros());
    while bit > 0 {
        bit -= 1;
        power = product(power, power, 0);
        if exponent >> bit & 1 == 1 {
            power = product(power, x, 0);
        }
    }
    power
}

/// The round constants, `ARK1` and `ARK2`, that the specification derives from a text: nine bytes of SHAKE256 a word, modulo p.
pub(super) const fn derived<const N: usize>(text: &str) -> [[[u64; N]; ROUNDS]; 2] {
    let (mut bytes, mut constants, mut i) = (Shake256::new(text.as_bytes()), [[[0; N]; ROUNDS]; 2], 0);
    while i < 2 * ROUNDS * N {
        let (mut word, mut shift) = (0, 0);
        while shift < 72 {
            word |= (bytes.byte() as u128) << shift;
            shift += 8;
        }
        constants[i / N % 2][i / N / 2][i % N] = Goldilocks::from_u128(word).as_u64();
        i += 1;
    }
    constants
}
