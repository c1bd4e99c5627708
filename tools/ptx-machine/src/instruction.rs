//! What instructions do. Every opcode that makes one value of others is a line of one table here, with its name in PTX; `machine.rs` does
//! those that branch, wait or use memory.
//!
//! A slot holds 64 bits. A register of fewer bits is the lowest of them, with zeros above; a predicate is 0 or 1; a double is its
//! representation. What is read is cut to the width of the instruction first, because immediate values are signed.

/// The number of a slot of a frame.
pub(crate) type Slot = u16;

/// An instruction and the slots that it uses: it writes `d` and reads the others. Where it has no use for a slot, that is 0; those that branch have the
/// place of the code in `d`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Instruction {
    pub op: Op,
    pub d: Slot,
    pub a: Slot,
    pub b: Slot,
    pub c: Slot,
    pub e: Slot,
}

/// Calls a macro with every operation that makes a value: its name, its opcodes, the slots that it reads, the carry flag if it uses it, and the value, in which `done!` is that of a result, or a fault.
macro_rules! for_every_operation {
    ($callback:ident) => {
        $callback! {
            Move32 "mov.u32" (a) => u64::from(a as u32);
            Move64 "mov.u64", "mov.b64", "mov.f64" (a) => a;
            MovePredicate "mov.pred" (a) => u64::from(a != 0);
            Pack "mov.b64 {}" (a, b) => u64::from(a as u32) | b << 32;
            Select32 "selp.b32", "selp.u32" (a, b, c) => u64::from(if c != 0 { a as u32 } else { b as u32 });
            Select64 "selp.b64", "selp.u64" (a, b, c) => if c != 0 { a } else { b };
            Convert16From32 "cvt.u16.u32" (a) => u64::from(a as u16);
            Convert32From64 "cvt.u32.u64" (a) => u64::from(a as u32);
            Convert64From32 "cvt.u64.u32" (a) => u64::from(a as u32);
            ConvertDouble "cvt.rn.f64.u32" (a) => f64::from(a as u32).to_bits();
            Address "cvta.to.global.u64", "cvta.to.local.u64", "cvta.local.u64" (a) => a;

            Add32 "add.s32", "add.u32" (a, b) => u64::from((a as u32).wrapping_add(b as u32));
            Add64 "add.s64", "add.u64" (a, b) => a.wrapping_add(b);
            Subtract32 "sub.s32", "sub.u32" (a, b) => u64::from((a as u32).wrapping_sub(b as u32));
            Subtract64 "sub.s64", "sub.u64" (a, b) => a.wrapping_sub(b);
            Negate32 "neg.s32" (a) => u64::from((a as u32).wrapping_neg());
            Negate64 "neg.s64" (a) => a.wrapping_neg();
            Absolute32 "abs.s32" (a) => u64::from((a as u32 as i32).unsigned_abs());
            Minimum32 "min.u32" (a, b) => u64::from((a as u32).min(b as u32));
            Minimum64 "min.u64" (a, b) => a.min(b);
            Maximum32 "max.u32" (a, b) => u64::from((a as u32).max(b as u32));
            Maximum64 "max.u64" (a, b) => a.max(b);
            Multiply32 "mul.lo.s32", "mul.lo.u32" (a, b) => u64::from((a as u32).wrapping_mul(b as u32));
            Multiply64 "mul.lo.s64", "mul.lo.u64" (a, b) => a.wrapping_mul(b);
            MultiplyHigh64 "mul.hi.u64" (a, b) => (u128::from(a) * u128::from(b) >> 64) as u64;
            MultiplyWide "mul.wide.u32" (a, b) => wide(a, b);
            MultiplyWideSigned "mul.wide.s32" (a, b) => (i64::from(a as u32 as i32) * i64::from(b as u32 as i32)) as u64;
            MultiplyAdd32 "mad.lo.s32" (a, b, c) => u64::from((a as u32).wrapping_mul(b as u32).wrapping_add(c as u32));
            MultiplyAddWide "mad.wide.u32" (a, b, c) => wide(a, b).wrapping_add(c);
            Divide32 "div.u32" (a, b) => u64::from(done!((a as u32).checked_div(b as u32).ok_or(Fault::Division)));
            Divide64 "div.u64" (a, b) => done!(a.checked_div(b).ok_or(Fault::Division));
            Remainder32 "rem.u32" (a, b) => u64::from(done!((a as u32).checked_rem(b as u32).ok_or(Fault::Division)));
            Remainder64 "rem.u64" (a, b) => done!(a.checked_rem(b).ok_or(Fault::Division));

            AddCarrying "add.cc.u32" (a, b) carry => sum(low(a) + low(b), carry);
            AddCarried "addc.u32" (a, b) carry => u64::from((low(a) + low(b) + *carry) as u32);
            AddChained "addc.cc.u32" (a, b) carry => sum(low(a) + low(b) + *carry, carry);
            SubtractCarrying "sub.cc.u32" (a, b) carry => difference(low(a).wrapping_sub(low(b)), carry);
            SubtractCarrying64 "sub.cc.u64" (a, b) carry => {
                *carry = u64::from(a < b);
                a.wrapping_sub(b)
            };
            SubtractCarried "subc.u32" (a, b) carry => u64::from(low(a).wrapping_sub(low(b) + *carry) as u32);
            SubtractChained "subc.cc.u32" (a, b) carry => difference(low(a).wrapping_sub(low(b) + *carry), carry);
            MultiplyAddCarrying "mad.lo.cc.u32" (a, b, c) carry => sum(low(wide(a, b)) + low(c), carry);
            MultiplyAddCarried "madc.lo.u32" (a, b, c) carry => u64::from((wide(a, b) + *carry) as u32).wrapping_add(low(c)) & LOW;
            MultiplyAddChained "madc.lo.cc.u32" (a, b, c) carry => sum(low(wide(a, b)) + low(c) + *carry, carry);
            MultiplyAddHighCarried "madc.hi.u32" (a, b, c) carry => ((wide(a, b) >> 32) + low(c) + *carry) & LOW;
            MultiplyAddHighChained "madc.hi.cc.u32" (a, b, c) carry => sum((wide(a, b) >> 32) + low(c) + *carry, carry);

            And32 "and.b32" (a, b) => low(a & b);
            And64 "and.b64", "and.pred" (a, b) => a & b;
            Or32 "or.b32" (a, b) => low(a | b);
            Or64 "or.b64", "or.pred" (a, b) => a | b;
            Xor32 "xor.b32" (a, b) => low(a ^ b);
            Xor64 "xor.b64", "xor.pred" (a, b) => a ^ b;
            Not32 "not.b32" (a) => low(!a);
            Not64 "not.b64" (a) => !a;
            NotPredicate "not.pred" (a) => u64::from(a == 0);
            // Distances are 32 bits wide and end at the width.
            ShiftLeft32 "shl.b32" (a, b) => low(if low(b) < 32 { low(a) << low(b) } else { 0 });
            ShiftLeft64 "shl.b64" (a, b) => if low(b) < 64 { a << low(b) } else { 0 };
            ShiftRight32 "shr.u32" (a, b) => if low(b) < 32 { low(a) >> low(b) } else { 0 };
            ShiftRight64 "shr.u64", "shr.b64" (a, b) => if low(b) < 64 { a >> low(b) } else { 0 };
            ShiftRightSigned32 "shr.s32" (a, b) => u64::from((a as u32 as i32 >> low(b).min(31)) as u32);
            ShiftRightSigned64 "shr.s64" (a, b) => (a as i64 >> low(b).min(63)) as u64;
            // The lower word is a, the upper one b.
            FunnelLeft "shf.l.wrap.b32" (a, b, c) => (low(a) | low(b) << 32) << (c & 31) >> 32;
            FunnelRight "shf.r.wrap.b32" (a, b, c) => low((low(a) | low(b) << 32) >> (c & 31));
            Permute "prmt.b32" (a, b, c) => permute(low(a) | low(b) << 32, c);
            Insert32 "bfi.b32" (a, b, c, e) => low(insert(low(a), low(b), c, e, 32));
            Insert64 "bfi.b64" (a, b, c, e) => insert(a, b, c, e, 64);
            Reverse "brev.b32" (a) => u64::from((a as u32).reverse_bits());
            LeadingZeros "clz.b32" (a) => u64::from((a as u32).leading_zeros());

            AddDouble "add.f64" (a, b) => (f64::from_bits(a) + f64::from_bits(b)).to_bits();
            AddDoubleDown "add.rm.f64" (a, b) => add_towards(a, b, f64::NEG_INFINITY);
            AddDoubleUp "add.rp.f64" (a, b) => add_towards(a, b, f64::INFINITY);
            SubtractDouble "sub.f64" (a, b) => (f64::from_bits(a) - f64::from_bits(b)).to_bits();
            NegateDouble "neg.f64" (a) => a ^ 1 << 63;
            MultiplyAddDouble "fma.rn.f64" (a, b, c) => f64::from_bits(a).mul_add(f64::from_bits(b), f64::from_bits(c)).to_bits();

            Equal16 "setp.eq.s16" (a, b) => u64::from(a as u16 == b as u16);
            Equal32 "setp.eq.s32", "setp.eq.b32" (a, b) => u64::from(a as u32 == b as u32);
            Equal64 "setp.eq.s64", "setp.eq.b64" (a, b) => u64::from(a == b);
            Different16 "setp.ne.s16" (a, b) => u64::from(a as u16 != b as u16);
            Different32 "setp.ne.s32" (a, b) => u64::from(a as u32 != b as u32);
            Different64 "setp.ne.s64" (a, b) => u64::from(a != b);
            Less32 "setp.lt.u32" (a, b) => u64::from((a as u32) < b as u32);
            Less64 "setp.lt.u64" (a, b) => u64::from(a < b);
            LessSigned32 "setp.lt.s32" (a, b) => u64::from((a as i32) < b as i32);
            LessEqual32 "setp.le.u32" (a, b) => u64::from(a as u32 <= b as u32);
            LessEqual64 "setp.le.u64" (a, b) => u64::from(a <= b);
            Greater32 "setp.gt.u32" (a, b) => u64::from(a as u32 > b as u32);
            Greater64 "setp.gt.u64" (a, b) => u64::from(a > b);
            GreaterSigned16 "setp.gt.s16" (a, b) => u64::from(a as i16 > b as i16);
            GreaterSigned32 "setp.gt.s32" (a, b) => u64::from(a as i32 > b as i32);
            GreaterEqual32 "setp.ge.u32" (a, b) => u64::from(a as u32 >= b as u32);
            GreaterEqual64 "setp.ge.u64" (a, b) => u64::from(a >= b);
        }
    };
}
pub(super) use for_every_operation;

macro_rules! operations {
    ($($op:ident $($name:literal),+ ($($slot:ident),+) $($carry:ident)? => $value:expr;)*) => {
        /// An operation.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Op {
            $($op,)*
            /// The lower half of `a` to `d`, the upper one to `e`.
            Unpack,
            /// From the address `a + b` in the space `e` to `d`, or to the list of slots with that number.
            Load32,
            Load64,
            LoadVector,
            /// To such an address, what is in `d` or in the list.
            Store32,
            Store64,
            StoreVector,
            /// What was at the address goes to `d`, and `c` is added; `Reduce` leaves it.
            AtomicAdd,
            /// The list has what is expected and what takes its place; what was there goes to `d`.
            AtomicExchange,
            ReduceAdd,
            ReduceMinimum,
            ReduceMaximum,
            Branch,
            /// If `a`; or if not.
            BranchIf,
            BranchUnless,
            Call,
            Return,
            /// Waits for the group, or for the warp.
            Barrier,
            WarpBarrier,
            /// `d` is whether `a` holds for any item of the warp that is in the mask `b`.
            Vote,
        }

        /// The operation of an opcode that makes a value of others, and the number of these.
        pub(crate) fn operation(opcode: &str) -> Option<(Op, usize)> {
            match opcode {
                $($($name)|+ => Some((Op::$op, [$(stringify!($slot)),+].len())),)*
                _ => None,
            }
        }
    };
}
for_every_operation!(operations);

/// What an item must not do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// A division by zero, whose result nothing says.
    Division,
    /// An access to memory, described.
    Access(String),
    /// A word that another item has written, and between them nothing that orders the two.
    Race,
    /// More branches than any kernel takes.
    Endless,
    /// Items that wait for each other at different places.
    Deadlock,
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Division => "a division by zero",
            Self::Access(what) => what,
            Self::Race => "another item has written there, and no barrier is between",
            Self::Endless => "it does not end",
            Self::Deadlock => "it waits for items that are at another barrier",
        })
    }
}

pub(super) const LOW: u64 = u32::MAX as u64;

#[inline(always)]
pub(super) fn low(a: u64) -> u64 {
    a & LOW
}

#[inline(always)]
pub(super) fn wide(a: u64, b: u64) -> u64 {
    low(a) * low(b)
}

/// The lower word of a sum; the carry flag takes what is above it.
#[inline(always)]
pub(super) fn sum(sum: u64, carry: &mut u64) -> u64 {
    *carry = sum >> 32;
    low(sum)
}

/// The lower word of a difference; the carry flag says whether it is negative.
#[inline(always)]
pub(super) fn difference(difference: u64, carry: &mut u64) -> u64 {
    *carry = difference >> 63;
    low(difference)
}

/// Four of eight bytes, which the lower halfwords of the selector name by three bits each; with the fourth bit it is the byte's sign instead.
#[inline(always)]
pub(super) fn permute(bytes: u64, selector: u64) -> u64 {
    let select = |at: u64| {
        let name = selector >> (4 * at);
        let byte = (bytes >> (8 * (name & 7))) as u8;
        let byte = if name & 8 == 0 { byte } else { (byte as i8 >> 7) as u8 };
        u64::from(byte) << (8 * at)
    };
    select(0) | select(1) | select(2) | select(3)
}

/// `b` with its `len` bits from `from` replaced by the lowest of `a`, as far as there are bits.
#[inline(always)]
pub(super) fn insert(a: u64, b: u64, from: u64, len: u64, bits: u64) -> u64 {
    let (from, len) = (from & 0xff, len & 0xff);
    if from >= bits || len == 0 {
        return b;
    }
    let mask = (u64::MAX >> (64 - len.min(64))) << from;
    b & !mask | a << from & mask
}

/// The sum of two doubles, rounded towards an infinity.
#[inline(always)]
pub(super) fn add_towards(a: u64, b: u64, infinity: f64) -> u64 {
    let (a, b) = (f64::from_bits(a), f64::from_bits(b));
    let nearest = a + b;
    if !nearest.is_finite() {
        // Beyond the largest double the other direction ends there.
        let overflow = a.is_finite() && b.is_finite() && nearest != infinity;
        return if overflow { f64::MAX.copysign(nearest) } else { nearest }.to_bits();
    }
    // What rounding to the nearest took away is a double itself, which this finds without error (Knuth's sum of two).
    let from_b = nearest - a;
    let error = (a - (nearest - from_b)) + (b - from_b);
    let sum = match () {
        () if error > 0.0 && infinity > 0.0 => nearest.next_up(),
        () if error < 0.0 && infinity < 0.0 => nearest.next_down(),
        // Of opposite numbers, and of zeros unless both are +0.
        () if nearest == 0.0 && infinity < 0.0 && (a.is_sign_negative() || b.is_sign_negative()) => -0.0,
        () => nearest,
    };
    sum.to_bits()
}
