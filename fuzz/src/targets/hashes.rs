//! Hashes: single ones against their textbook form and other implementations; digests of rows and trees, in every form of a matrix, against the
//! reference.

use sha2::Digest as _;
use winter_crypto::hashers::{Rp64_256 as WinterRescue, RpJive64_256 as WinterJive};
use winter_crypto::{Digest as _, ElementHasher, Hasher as WinterHasher};
use winter_math::fields::f64::BaseElement;
use zkaccel::field::{Cubic, Field, Goldilocks, Quadratic};
use zkaccel::hash::{Accelerated, Digest, Hasher};
use zkaccel::matrix::Shape;
use zkaccel::merkle::MerkleTree;
use zkaccel::{Engine, Error};

use crate::draw::Draw;
use crate::engines;
use crate::hashes::{HashVisitor, NAMES, visit};

pub fn run(data: &[u8]) {
    let mut draw = Draw::new(data);
    let name = draw.pick(NAMES);
    visit(name, Hash(draw));
}

struct Hash<'a>(Draw<'a>);

impl HashVisitor for Hash<'_> {
    fn visit<H: Accelerated>(self) {
        let mut draw = self.0;
        match draw.below(5) {
            0 => single::<H>(&mut draw),
            1 => rows::<H, Goldilocks>(&mut draw),
            2 => rows::<H, Quadratic>(&mut draw),
            3 => rows::<H, Cubic>(&mut draw),
            _ => tree::<H>(&mut draw),
        }
    }
}

/// One input in every part of the interface.
fn single<H: Accelerated>(draw: &mut Draw<'_>) {
    let len = draw.below(40);
    let elements: Vec<Goldilocks> = draw.elements(len);
    let value = draw.word();
    let children = [(); 2].map(|()| bytemuck::cast_slice::<Goldilocks, H::Digest>(&draw.elements(4))[0]);
    let bytes = draw.rest();
    assert_eq!(H::hash_elements(&elements), H::Textbook::hash_elements(&elements));
    assert_eq!(H::hash(bytes), H::Textbook::hash(bytes));
    assert_eq!(H::merge(&children), H::Textbook::merge(&children));
    assert_eq!(H::merge_many(&children), H::Textbook::merge_many(&children));
    assert_eq!(H::merge_with_int(&children[0], value), H::Textbook::merge_with_int(&children[0], value));

    // Of others what they have.
    let found = [
        H::hash_elements(&elements).to_bytes(),
        H::merge(&children).to_bytes(),
        H::merge_with_int(&children[0], value).to_bytes(),
    ];
    let words = bytemuck::cast_slice(&elements);
    let pair = bytemuck::cast_slice(&children);
    let seed = [&children[0].to_bytes()[..], &value.to_le_bytes()].concat();
    let of_bytes = |hash: fn(&[u8]) -> [u8; 32]| {
        assert_eq!(H::hash(bytes).to_bytes(), hash(bytes), "{}", H::NAME);
        [hash(words), hash(pair), hash(&seed)]
    };
    let expected = match H::NAME {
        "keccak256" => of_bytes(|bytes| sha3::Keccak256::digest(bytes).into()),
        "sha3_256" => of_bytes(|bytes| sha3::Sha3_256::digest(bytes).into()),
        "sha256" => of_bytes(|bytes| sha2::Sha256::digest(bytes).into()),
        "rp64_256" => of_winterfell::<WinterRescue>(&elements, &children, value),
        "rp_jive64_256" => of_winterfell::<WinterJive>(&elements, &children, value),
        _ => return,
    };
    assert_eq!(found, expected, "{} of {elements:?}, {children:?}, {value}", H::NAME);
}

fn of_winterfell<W>(elements: &[Goldilocks], children: &[impl Digest; 2], value: u64) -> [[u8; 32]; 3]
where
    W: ElementHasher<BaseField = BaseElement> + WinterHasher<Digest: From<[BaseElement; 4]>>,
{
    let theirs = |elements: &[Goldilocks]| -> Vec<_> {
        elements.iter().map(|element| BaseElement::new(element.as_u64())).collect()
    };
    let digest = |digest: &_| -> W::Digest {
        let words: [BaseElement; 4] =
            theirs(bytemuck::cast_slice(bytemuck::bytes_of(digest))).try_into().unwrap();
        words.into()
    };
    let children = [digest(&children[0]), digest(&children[1])];
    [W::hash_elements(&theirs(elements)), W::merge(&children), W::merge_with_int(children[0], value)]
        .map(|digest| digest.as_bytes())
}

fn rows<H: Accelerated, F: Field>(draw: &mut Draw<'_>) {
    let engine = engines::draw(draw);
    let columns = 1 + draw.below(40 / F::DEGREE);
    let most = 600 / (columns * F::DEGREE);
    let rows = if draw.flag() { 1 << draw.below(1 + most.ilog2() as usize) } else { 1 + draw.below(most) };
    let layout = draw.layout();
    let mut matrix = draw.matrix::<F>(Shape { rows, columns, layout });
    if draw.below(16) == 15 {
        let words: &mut [u64] = bytemuck::cast_slice_mut(matrix.as_mut_slice());
        words[draw.below(words.len())] = u64::MAX - u64::from(draw.byte());
    }
    let form = draw.below(3);
    let digests = |engine: &Engine| match form {
        0 => engine.hash_rows::<H, _>(&matrix),
        1 => engine.hash_rows::<H, _>(matrix.view()),
        _ => engine.hash_rows::<H, _>(&engine.upload(&matrix)?),
    };
    let tree = |engine: &Engine| {
        let tree = match form {
            0 => engine.merkle_tree_of_rows::<H, _>(&matrix)?,
            1 => engine.merkle_tree_of_rows_async::<H, _>(matrix.clone()).wait()?,
            _ => engine.merkle_tree_of_rows::<H, _>(&engine.upload(&matrix)?)?.download()?,
        };
        Ok(tree.heap().to_vec())
    };
    same(&engine, digests(&engine), digests(engines::reference()));
    same(&engine, tree(&engine), tree(engines::reference()));
}

fn tree<H: Accelerated>(draw: &mut Draw<'_>) {
    let engine = engines::draw(draw);
    let leaves = match draw.below(8) {
        7 => draw.below(70),
        _ => 1 << draw.below(8),
    };
    let mut words = draw.elements::<Goldilocks>(4 * leaves);
    if draw.below(8) == 7 && leaves > 0 {
        let words: &mut [u64] = bytemuck::cast_slice_mut(&mut words);
        words[draw.below(4 * leaves)] = u64::MAX - u64::from(draw.byte());
    }
    let leaves: &[H::Digest] = bytemuck::cast_slice(&words);
    let build = |engine: &Engine| engine.merkle_tree::<H>(leaves);
    let heap = |tree: Result<MerkleTree<H>, Error>| tree.map(|tree| tree.heap().to_vec());
    same(&engine, heap(build(&engine)), heap(build(engines::reference())));
    if let Ok(tree) = build(&engine) {
        assert_eq!(heap(MerkleTree::from_bytes(&tree.to_bytes())), Ok(tree.heap().to_vec()));
    }
}

/// What an engine finds is what the reference does, but for what must stay on a device with a small budget.
fn same<T: PartialEq + std::fmt::Debug>(
    engine: &Engine,
    found: Result<T, Error>,
    expected: Result<T, Error>,
) {
    match (found, expected) {
        (Err(Error::OverDeviceBudget { .. }), _) => {}
        (found, expected) => assert_eq!(found, expected, "on {}", engine.device().id),
    }
}
