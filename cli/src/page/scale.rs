//! Logarithmic axes.

use super::number;

/// The marks of an axis.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Ticks {
    /// Powers of two, written as such.
    PowersOfTwo,
    /// Powers of ten, with multiples of these where there are few, in a unit with SI prefixes.
    Decimal(&'static str),
    /// The same without prefixes.
    Plain,
}

/// A logarithmic axis: decimal logarithms of its ends and where these lie in the drawing.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    pub(super) low: f64,
    pub(super) high: f64,
    pub(super) from: f64,
    pub(super) to: f64,
}

impl Scale {
    /// An axis for positive values, with room beyond the least and the greatest. An infinite one has no place on it.
    pub(super) fn over(values: impl Iterator<Item = f64>, from: f64, to: f64, room: f64) -> Self {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values.filter(|value| *value > 0.0 && value.is_finite()).map(f64::log10) {
            low = low.min(value);
            high = high.max(value);
        }
        if low > high {
            (low, high) = (0.0, 1.0);
        }
        // Never less than this part of a decade, so that values that are almost equal are no dramatic curve.
        const LEAST: f64 = 0.7;
        let lacking = (LEAST - (high - low)).max(0.0) / 2.0;
        let room = lacking + room * (high - low).max(LEAST);
        Self { low: low - room, high: high + room, from, to }
    }

    pub(super) fn at(&self, value: f64) -> f64 {
        self.from + (value.log10() - self.low) / (self.high - self.low) * (self.to - self.from)
    }

    /// The marks: where they are, and their texts, in which `^` stands before an exponent.
    pub(super) fn ticks(&self, ticks: Ticks) -> Vec<(f64, String)> {
        match ticks {
            Ticks::PowersOfTwo => {
                let (low, high) =
                    (10_f64.powf(self.low).log2().ceil(), 10_f64.powf(self.high).log2().floor());
                let step = ((high - low) / 5.0).ceil().max(1.0) as i32;
                // Even exponents, where every other one is marked.
                let first = (low as i32).div_euclid(step) * step;
                let exponents = (first..=high as i32).step_by(step as usize).filter(|&e| f64::from(e) >= low);
                exponents.map(|e| (f64::from(e).exp2(), format!("2^{e}"))).collect()
            }
            Ticks::Decimal(unit) => self.decimal(|value| number::tick(value, unit)),
            Ticks::Plain => self.decimal(|value| {
                let digits = (-value.log10().floor()).max(0.0) as usize;
                format!("{value:.digits$}")
            }),
        }
    }

    fn decimal(&self, text: impl Fn(f64) -> String) -> Vec<(f64, String)> {
        let all = |factors: &[f64]| -> Vec<f64> {
            let decades = self.low.floor() as i32..=self.high.ceil() as i32;
            let values = decades.flat_map(|decade| factors.iter().map(move |f| f * 10_f64.powi(decade)));
            values.filter(|value| (self.low..=self.high).contains(&value.log10())).collect()
        };
        let mut values = all(&[1.0]);
        for factors in [&[1.0, 2.0, 5.0][..], &[1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0]] {
            if values.len() < 3 {
                values = all(factors);
            }
        }
        // At most eight marks, of decades as far apart from each other.
        let step = values.len().div_ceil(8).max(1);
        values.into_iter().step_by(step).map(|value| (value, text(value))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_have_three_to_eight_marks() {
        for (least, greatest) in [(1e-6, 2e-6), (1e-6, 1e-3), (1.0, 1e12), (4.0, 9.0), (7.0, 7.0)] {
            let scale = Scale::over([least, greatest].into_iter(), 0.0, 100.0, 0.05);
            let ticks = scale.ticks(Ticks::Decimal("s"));
            assert!((1..=8).contains(&ticks.len()), "{least}..{greatest}: {ticks:?}");
            assert!(ticks.iter().all(|&(value, _)| (0.0..=100.0).contains(&scale.at(value))));
        }
        // A value that is divided by nothing.
        let endless =
            Scale::over([f64::MIN_POSITIVE, f64::MAX, f64::INFINITY, f64::NAN].into_iter(), 0.0, 100.0, 0.05);
        assert!((1..=8).contains(&endless.ticks(Ticks::Decimal("s")).len()), "{endless:?}");
        let scale = Scale::over([1024.0, 1_048_576.0].into_iter(), 0.0, 100.0, 0.05);
        let texts: Vec<_> = scale.ticks(Ticks::PowersOfTwo).into_iter().map(|(_, text)| text).collect();
        assert_eq!(texts, ["2^10", "2^12", "2^14", "2^16", "2^18", "2^20"]);
    }
}
