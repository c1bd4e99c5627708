//! Which values a proof has, which polynomials it opens, and where, in halo2's order.

use halo2_axiom::halo2curves::bn256::G1Affine;
use halo2_axiom::plonk::ProvingKey;

use super::evaluations::{Evaluations, Polynomials};
use super::opening::Query;
use crate::constraints::layout::{Cell, Layout, Matrix};

/// The rotations at which constraints look at columns.
pub(super) fn rotations(pk: &ProvingKey<G1Affine>, layout: &Layout) -> Vec<i32> {
    let system = pk.get_vk().cs();
    let of_advice = system.advice_queries().iter().map(|(_, rotation)| rotation.0);
    let of_fixed = system.fixed_queries().iter().map(|(_, rotation)| rotation.0);
    let of_instances = system.instance_queries().iter().map(|(_, rotation)| rotation.0);
    let mut rotations: Vec<i32> = of_advice.chain(of_fixed).chain(of_instances).chain([0]).collect();
    if layout.columns(Matrix::Products) > 0 {
        rotations.push(1);
    }
    if layout.lookups > 0 {
        rotations.push(-1);
    }
    if layout.sets() > 1 {
        rotations.push(layout.last_rotation());
    }
    rotations
}

/// The order of values and of openings.
pub(super) struct Order<'a> {
    pub(super) pk: &'a ProvingKey<G1Affine>,
    pub(super) layout: &'a Layout,
    pub(super) polynomials: &'a Polynomials<'a>,
    pub(super) evaluations: &'a Evaluations,
}

impl Order<'_> {
    fn query(&self, circuit: usize, cell: Cell) -> Query {
        let polynomial = self.polynomials.of(circuit, cell);
        Query { polynomial, point: self.evaluations.point(cell.rotation) }
    }

    fn advice(&self, circuit: usize) -> impl Iterator<Item = Query> {
        let queries = self.pk.get_vk().cs().advice_queries().iter();
        queries.map(move |(column, rotation)| {
            self.query(circuit, Cell::new(Matrix::Advice, column.index()).rotated(rotation.0))
        })
    }

    fn fixed(&self) -> impl Iterator<Item = Query> {
        let queries = self.pk.get_vk().cs().fixed_queries().iter();
        queries.map(|(column, rotation)| {
            self.query(0, Cell::new(Matrix::Key, column.index()).rotated(rotation.0))
        })
    }

    fn sigmas(&self) -> impl Iterator<Item = Query> {
        (0..self.layout.permuted.len()).map(|index| self.query(0, self.layout.sigma(index)))
    }

    fn random(&self) -> Query {
        Query { polynomial: self.polynomials.random(), point: self.evaluations.point(0) }
    }

    /// The values that a proof has, in their order.
    pub(super) fn evaluated(&self, circuits: usize) -> Vec<Query> {
        let layout = self.layout;
        let advice = (0..circuits).flat_map(|circuit| self.advice(circuit));
        let mut queries: Vec<Query> =
            advice.chain(self.fixed()).chain([self.random()]).chain(self.sigmas()).collect();
        for circuit in 0..circuits {
            for set in 0..layout.sets() {
                let z = layout.set_product(set);
                queries.extend([z, z.rotated(1)].map(|cell| self.query(circuit, cell)));
                if set + 1 < layout.sets() {
                    queries.push(self.query(circuit, z.rotated(layout.last_rotation())));
                }
            }
        }
        for circuit in 0..circuits {
            for lookup in 0..layout.lookups {
                let (z, input) = (layout.lookup_product(lookup), layout.permuted_input(lookup));
                let cells = [z, z.rotated(1), input, input.rotated(-1), layout.permuted_table(lookup)];
                queries.extend(cells.map(|cell| self.query(circuit, cell)));
            }
        }
        queries
    }

    /// What is opened, in its order.
    pub(super) fn opened(&self, circuits: usize) -> Vec<Query> {
        let layout = self.layout;
        let mut queries = Vec::new();
        for circuit in 0..circuits {
            queries.extend(self.advice(circuit));
            for set in 0..layout.sets() {
                let z = layout.set_product(set);
                queries.extend([z, z.rotated(1)].map(|cell| self.query(circuit, cell)));
            }
            for set in (0..layout.sets()).rev().skip(1) {
                let z = layout.set_product(set);
                queries.push(self.query(circuit, z.rotated(layout.last_rotation())));
            }
            for lookup in 0..layout.lookups {
                let (z, input) = (layout.lookup_product(lookup), layout.permuted_input(lookup));
                let cells = [z, input, layout.permuted_table(lookup), input.rotated(-1), z.rotated(1)];
                queries.extend(cells.map(|cell| self.query(circuit, cell)));
            }
        }
        queries.extend(self.fixed());
        queries.extend(self.sigmas());
        let quotient = Query { polynomial: self.polynomials.quotient(), point: self.evaluations.point(0) };
        queries.extend([quotient, self.random()]);
        queries
    }
}
