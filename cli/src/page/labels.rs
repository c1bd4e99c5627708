//! Where the texts in a drawing go, so that none covers another.

/// A rectangle of the drawing.
#[derive(Clone, Copy, Debug)]
pub(super) struct Area {
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) right: f64,
    pub(super) bottom: f64,
}

/// The height of a line of text.
pub(super) const LINE: f64 = 14.0;

impl Area {
    fn overlap(&self, other: &Self) -> bool {
        self.left < other.right
            && other.left < self.right
            && self.top < other.bottom
            && other.top < self.bottom
    }

    fn contains(&self, other: &Self) -> bool {
        self.left <= other.left
            && other.right <= self.right
            && self.top <= other.top
            && other.bottom <= self.bottom
    }

    /// A square around a point.
    pub(super) fn around(x: f64, y: f64, radius: f64) -> Self {
        Self { left: x - radius, top: y - radius, right: x + radius, bottom: y + radius }
    }
}

/// About how wide a text of the drawings is.
pub(super) fn width(text: &str) -> f64 {
    6.5 * text.chars().count() as f64
}

/// Heights that are as close to the wanted ones as they can be with a line's height between them, within limits; in the order of
/// the wanted ones.
pub(super) fn spread(wanted: &[f64], top: f64, bottom: f64) -> Vec<f64> {
    let mut order: Vec<usize> = (0..wanted.len()).collect();
    order.sort_by(|&a, &b| wanted[a].total_cmp(&wanted[b]));
    // Groups of lines that touch: the sum of (wanted - offset within the group), and how many lines there are.
    let mut groups: Vec<(f64, usize)> = Vec::new();
    for &index in &order {
        groups.push((wanted[index], 1));
        while let [.., (above, n), (below, m)] = groups[..] {
            let (start_above, start_below) = (above / n as f64, below / m as f64);
            if start_below >= start_above + LINE * n as f64 {
                break;
            }
            groups.truncate(groups.len() - 2);
            groups.push((above + below - LINE * (n * m) as f64, n + m));
        }
    }
    let starts = groups.iter().flat_map(|&(sum, n)| (0..n).map(move |i| sum / n as f64 + LINE * i as f64));
    let mut sorted: Vec<f64> = starts.collect();
    let count = sorted.len();
    for (i, y) in sorted.iter_mut().enumerate() {
        *y = y.min(bottom - LINE * (count - 1 - i) as f64).max(top + LINE * i as f64);
    }
    let mut heights = vec![0.0; wanted.len()];
    for (&index, y) in order.iter().zip(sorted) {
        heights[index] = y;
    }
    heights
}

/// Places texts beside points, one after the other.
pub(super) struct Placer {
    within: Area,
    taken: Vec<Area>,
}

/// A text that has its place: the point at which it begins, is centred or ends.
pub(super) struct Placed {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) anchor: &'static str,
}

impl Placer {
    pub(super) fn new(within: Area) -> Self {
        Self { within, taken: Vec::new() }
    }

    pub(super) fn take(&mut self, area: Area) {
        self.taken.push(area);
    }

    /// A place beside a point, if there is one that is free.
    pub(super) fn place(&mut self, x: f64, y: f64, text: &str) -> Option<Placed> {
        const AROUND: [(f64, f64, &str); 8] = [
            (9.0, 0.0, "start"),
            (-9.0, 0.0, "end"),
            (0.0, -14.0, "middle"),
            (0.0, 14.0, "middle"),
            (8.0, -11.0, "start"),
            (8.0, 11.0, "start"),
            (-8.0, -11.0, "end"),
            (-8.0, 11.0, "end"),
        ];
        self.first_free(&AROUND.map(|(dx, dy, anchor)| (x + dx, y + dy, anchor)), text)
    }

    /// The first of several places that is free.
    pub(super) fn first_free(&mut self, places: &[(f64, f64, &'static str)], text: &str) -> Option<Placed> {
        let width = width(text);
        for &(x, y, anchor) in places {
            let left = match anchor {
                "start" => x,
                "end" => x - width,
                _ => x - width / 2.0,
            };
            let area = Area { left, top: y - LINE / 2.0, right: left + width, bottom: y + LINE / 2.0 };
            if self.within.contains(&area) && !self.taken.iter().any(|taken| taken.overlap(&area)) {
                self.taken.push(area);
                return Some(Placed { x, y, anchor });
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_do_not_touch_and_keep_their_order() {
        for wanted in [vec![50.0; 5], vec![10.0, 12.0, 90.0], vec![99.0, 98.0, 1.0, 2.0], vec![]] {
            let heights = spread(&wanted, 0.0, 100.0);
            for i in 0..wanted.len() {
                assert!((-1e-9..=100.0 + 1e-9).contains(&heights[i]), "{wanted:?}: {heights:?}");
                for j in 0..i {
                    assert!((heights[i] - heights[j]).abs() >= LINE - 1e-9, "{wanted:?}: {heights:?}");
                    assert!((wanted[i] - wanted[j]) * (heights[i] - heights[j]) >= 0.0);
                }
            }
        }
        assert_eq!(spread(&[20.0, 60.0], 0.0, 100.0), [20.0, 60.0]);
    }

    #[test]
    fn no_text_covers_another() {
        let mut placer = Placer::new(Area { left: 0.0, top: 0.0, right: 200.0, bottom: 100.0 });
        let placed = (0..20).filter(|_| placer.place(100.0, 50.0, "a label").is_some()).count();
        assert!((4..=8).contains(&placed), "{placed}");
        for (i, a) in placer.taken.iter().enumerate() {
            assert!(!placer.taken[..i].iter().any(|b| a.overlap(b)));
        }
    }
}
