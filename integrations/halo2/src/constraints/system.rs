//! The gates and lookups of a circuit, whichever crate's types they are.

use super::{Algebra, Layout};

/// A circuit's columns, gates and lookups. [`constraint_system!`](crate::constraint_system) implements it.
pub trait System {
    /// The circuit's columns.
    fn layout(&self) -> Layout;

    /// The number of polynomials of each gate.
    fn gate_lengths(&self) -> Vec<usize>;

    /// What a gate is called.
    fn gate_name(&self, gate: usize) -> &str;

    /// A polynomial of a gate.
    fn gate_polynomial<A: Algebra>(&self, algebra: &mut A, gate: usize, polynomial: usize) -> A::Value;

    /// What a lookup is called.
    fn lookup_name(&self, lookup: usize) -> &str;

    /// The expressions of a lookup: of its input, of its table.
    fn lookup_columns<A: Algebra>(&self, algebra: &mut A, lookup: usize) -> [Vec<A::Value>; 2];
}

/// Implements [`System`] for the constraint systems of a crate of halo2 over BN254, given what [`bn254!`](crate::bn254) made and the module `plonk`:
/// `constraint_system!(Zkaccel = crate::plonk);`
#[macro_export]
macro_rules! constraint_system {
    ($bn254:ty = $($module:ident)::+) => {
        // What says which types are BN254 may be private.
        #[allow(private_interfaces)]
        const _: () = {
            use $($module)::+ as plonk;
            use $crate::constraints::{Algebra, Cell, Layout, Matrix, Scalar, System};

            type Element = <$bn254 as $crate::CurveTypes>::Scalar;

            impl System for plonk::ConstraintSystem<Element> {
                fn layout(&self) -> Layout {
                    let columns = self.permutation().get_columns();
                    let permuted = columns.iter().map(|column| match column.column_type() {
                        plonk::Any::Advice(_) => Cell::new(Matrix::Advice, column.index()),
                        plonk::Any::Fixed => Cell::new(Matrix::Key, column.index()),
                        plonk::Any::Instance => Cell::new(Matrix::Instances, column.index()),
                    });
                    let delta = <Element as $crate::ff::PrimeField>::DELTA;
                    Layout {
                        fixed: self.num_fixed_columns(),
                        permuted: permuted.collect(),
                        advice: self.num_advice_columns(),
                        instances: self.num_instance_columns(),
                        lookups: self.lookups().len(),
                        challenges: self.num_challenges(),
                        set: self.degree().saturating_sub(2).max(1),
                        blinding: self.blinding_factors(),
                        delta: $crate::types::own_scalar::<$bn254>(&delta),
                    }
                }

                fn gate_lengths(&self) -> Vec<usize> {
                    self.gates().iter().map(|gate| gate.polynomials().len()).collect()
                }

                fn gate_name(&self, gate: usize) -> &str {
                    self.gates()[gate].name()
                }

                fn gate_polynomial<A: Algebra>(
                    &self,
                    algebra: &mut A,
                    gate: usize,
                    polynomial: usize,
                ) -> A::Value {
                    value(algebra, &self.gates()[gate].polynomials()[polynomial])
                }

                fn lookup_name(&self, lookup: usize) -> &str {
                    self.lookups()[lookup].name()
                }

                fn lookup_columns<A: Algebra>(&self, algebra: &mut A, lookup: usize) -> [Vec<A::Value>; 2] {
                    let lookup = &self.lookups()[lookup];
                    [lookup.input_expressions(), lookup.table_expressions()].map(|expressions| {
                        expressions.iter().map(|expression| value(algebra, expression)).collect()
                    })
                }
            }

            fn value<A: Algebra>(algebra: &mut A, expression: &plonk::Expression<Element>) -> A::Value {
                use plonk::Expression;

                let constant = |element: &Element| $crate::types::own_scalar::<$bn254>(element);
                match expression {
                    Expression::Constant(element) => algebra.constant(constant(element)),
                    Expression::Selector(_) => unreachable!("keys have fixed columns in place of selectors"),
                    Expression::Fixed(query) => {
                        let cell = Cell::new(Matrix::Key, query.column_index());
                        algebra.cell(cell.rotated(query.rotation().0))
                    }
                    Expression::Advice(query) => {
                        let cell = Cell::new(Matrix::Advice, query.column_index());
                        algebra.cell(cell.rotated(query.rotation().0))
                    }
                    Expression::Instance(query) => {
                        let cell = Cell::new(Matrix::Instances, query.column_index());
                        algebra.cell(cell.rotated(query.rotation().0))
                    }
                    Expression::Challenge(challenge) => {
                        algebra.scalar(Scalar::Challenge(challenge.index()))
                    }
                    Expression::Negated(inner) => {
                        let zero = <Element as $crate::ff::Field>::ZERO;
                        let (zero, inner) = (algebra.constant(constant(&zero)), value(algebra, inner));
                        algebra.sub(zero, inner)
                    }
                    Expression::Sum(a, b) => {
                        let a = value(algebra, a);
                        match &**b {
                            Expression::Negated(b) => {
                                let b = value(algebra, b);
                                algebra.sub(a, b)
                            }
                            b => {
                                let b = value(algebra, b);
                                algebra.add(a, b)
                            }
                        }
                    }
                    Expression::Product(a, b) => {
                        let (a, b) = (value(algebra, a), value(algebra, b));
                        algebra.mul(a, b)
                    }
                    Expression::Scaled(inner, factor) => {
                        let (inner, factor) = (value(algebra, inner), algebra.constant(constant(factor)));
                        algebra.mul(inner, factor)
                    }
                }
            }
        };
    };
}
