//! The prover's side of the protocol: commitments and values go into the public coin and the proof, challenges come out of the coin.

use rayon::prelude::*;
use winter_air::proof::{
    Commitments, Context, OodFrame, Proof, Queries, QuotientOodFrame, TraceOodFrame, merge_ood_evaluations,
};
use winter_air::{Air, ConstraintCompositionCoefficients, DeepCompositionCoefficients};
use winter_crypto::{ElementHasher, RandomCoin, RandomCoinError};
use winter_math::FieldElement;
use winter_math::fields::f64::BaseElement;
use winter_prover::Deserializable;

use super::fri::FriBytes;

/// Nonces that are tried side by side.
const NONCES: u64 = 1 << 12;

/// The public coin, and what of the proof is known.
pub(super) struct Channel<'a, A, R> {
    air: &'a A,
    pub(super) coin: R,
    context: Context,
    commitments: Commitments,
    ood_frame: OodFrame,
    nonce: u64,
}

impl<'a, A, H, R> Channel<'a, A, R>
where
    A: Air<BaseField = BaseElement>,
    H: ElementHasher<BaseField = BaseElement>,
    R: RandomCoin<BaseField = BaseElement, Hasher = H>,
{
    /// The coin's seed is the context of the proof and the public inputs.
    pub(super) fn new(air: &'a A, public_inputs: Vec<BaseElement>) -> Self {
        let constraints = air.context().num_assertions() + air.context().num_transition_constraints();
        let context =
            Context::new::<BaseElement>(air.trace_info().clone(), air.options().clone(), constraints);
        let mut seed = winter_math::ToElements::to_elements(&context);
        seed.extend(public_inputs);
        let (commitments, ood_frame) = Default::default();
        Self { air, coin: R::new(&seed), context, commitments, ood_frame, nonce: 0 }
    }

    pub(super) fn commit(&mut self, root: H::Digest) {
        self.commitments.add::<H>(&root);
        self.coin.reseed(root);
    }

    pub(super) fn send_frames<E: FieldElement<BaseField = BaseElement>>(
        &mut self,
        trace: &TraceOodFrame<E>,
        composition: &QuotientOodFrame<E>,
    ) {
        self.ood_frame.set_trace_states(trace);
        self.ood_frame.set_quotient_states(composition);
        self.coin.reseed(H::hash_elements(&merge_ood_evaluations(trace, composition)));
    }

    pub(super) fn draw<E: FieldElement<BaseField = BaseElement>>(&mut self) -> Result<E, RandomCoinError> {
        self.coin.draw()
    }

    pub(super) fn composition_coefficients<E: FieldElement<BaseField = BaseElement>>(
        &mut self,
    ) -> Result<ConstraintCompositionCoefficients<E>, RandomCoinError> {
        self.air.get_constraint_composition_coefficients(&mut self.coin)
    }

    pub(super) fn deep_coefficients<E: FieldElement<BaseField = BaseElement>>(
        &mut self,
    ) -> Result<DeepCompositionCoefficients<E>, RandomCoinError> {
        self.air.get_deep_composition_coefficients(&mut self.coin)
    }

    /// Takes the least nonce that gives as many zeros as the options ask for.
    pub(super) fn grind(&mut self) {
        let (zeros, coin) = (self.context.options().grinding_factor(), &self.coin);
        let starts = (1..).step_by(NONCES as usize);
        let fits = |start: u64| {
            let nonces = (start..start + NONCES).into_par_iter();
            nonces.find_first(|&nonce| coin.check_leading_zeros(nonce) >= zeros)
        };
        let first = starts.into_iter().find_map(fits);
        self.nonce = first.expect("one of all words");
    }

    /// The rows that are opened, ascending.
    pub(super) fn positions(&mut self) -> Result<Vec<usize>, RandomCoinError> {
        let (queries, size) = (self.context.options().num_queries(), self.context.lde_domain_size());
        let mut positions = self.coin.draw_integers(queries, size, self.nonce)?;
        positions.sort_unstable();
        positions.dedup();
        Ok(positions)
    }

    pub(super) fn proof(
        self,
        positions: usize,
        trace_queries: Vec<Queries>,
        constraint_queries: Queries,
        fri: FriBytes,
    ) -> Proof {
        Proof {
            context: self.context,
            num_unique_queries: positions as u8,
            commitments: self.commitments,
            trace_queries,
            constraint_queries,
            ood_frame: self.ood_frame,
            // There is no other way to make one out of its parts.
            fri_proof: Deserializable::read_from_bytes(&fri.0).expect("the bytes of a proof"),
            pow_nonce: self.nonce,
        }
    }
}
