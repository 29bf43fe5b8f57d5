//! Dividing processes among dimensions (MPI 4.1 §8.5.2).

use crate::bail;
use crate::error::Result;

/// Sets the zeros of `dims` so that its product is `nodes`: as close to each other as can be, in non-increasing order.
///
/// Errors: `MPI_ERR_ARG` (less than 1 node), `MPI_ERR_DIMS` (negative, or the nodes cannot be divided so).
pub fn divide(nodes: i32, dims: &mut [i32]) -> Result<()> {
    if nodes < 1 {
        bail!(Arg, "nnodes is {nodes}, but a grid has at least 1 process");
    }
    if let Some((i, dim)) = dims.iter().enumerate().find(|&(_, &dim)| dim < 0) {
        bail!(Dims, "dims[{i}] is {dim}, and must not be negative");
    }
    let fixed = dims
        .iter()
        .filter(|&&dim| dim > 0)
        .try_fold(1_i32, |all, &dim| all.checked_mul(dim));
    let free = dims.iter().filter(|&&dim| dim == 0).count();
    let rest = match fixed {
        Some(fixed) if nodes % fixed == 0 && (free > 0 || fixed == nodes) => nodes / fixed,
        _ => bail!(
            Dims,
            "nnodes is {nodes}, which cannot be divided as dims, {dims:?}, asks for"
        ),
    };
    let parts = balanced(rest, free);
    let zeros = dims.iter_mut().filter(|dim| **dim == 0);
    zeros.zip(parts).for_each(|(dim, part)| *dim = part);
    Ok(())
}

/// `n` as a product of so many factors, the largest first: of those whose largest and smallest are closest to each other
/// the one with the smallest factors in front.
fn balanced(n: i32, parts: usize) -> Vec<i32> {
    let mut best = vec![1; parts];
    let Some(first) = best.first_mut() else {
        return best;
    };
    *first = n;
    let divisors = divisors(n);
    for &largest in &divisors {
        let spread = best[0] - best[parts - 1];
        let lowest = (largest - spread + 1).max(1);
        if power(lowest, parts) > n as u128 {
            break;
        }
        let mut search = Search {
            divisors: &divisors,
            lowest,
            factors: vec![largest],
            parts,
            found: None,
        };
        search.fill(n / largest);
        if let Some(found) = search.found.filter(|f| f[0] - f[parts - 1] < spread) {
            best = found;
        }
    }
    best
}

/// The search for the factors that go with a largest one.
struct Search<'a> {
    divisors: &'a [i32],
    /// No factor may be smaller.
    lowest: i32,
    factors: Vec<i32>,
    parts: usize,
    found: Option<Vec<i32>>,
}

impl Search<'_> {
    /// Tries all factors of `n` behind those that are there, small ones first: of equally close ones the first found stays.
    fn fill(&mut self, n: i32) {
        let left = self.parts - self.factors.len();
        if n == 1 && (left == 0 || self.lowest == 1) {
            let mut found = self.factors.clone();
            found.resize(self.parts, 1);
            self.lowest = found[self.parts - 1] + 1;
            self.found = Some(found);
            return;
        }
        let largest = self.factors[self.factors.len() - 1];
        if power(self.lowest, left) > n as u128 || power(largest, left) < n as u128 {
            return;
        }
        for i in 0..self.divisors.len() {
            let factor = self.divisors[i];
            if factor > largest {
                break;
            }
            if factor >= self.lowest && n % factor == 0 && power(factor, left) >= n as u128 {
                self.factors.push(factor);
                self.fill(n / factor);
                self.factors.pop();
            }
        }
    }
}

fn power(base: i32, exponent: usize) -> u128 {
    // Beyond this every base but 1 is larger than any number of processes.
    (base as u128).saturating_pow(exponent.min(127) as u32)
}

/// The divisors of `n`, in order.
fn divisors(n: i32) -> Vec<i32> {
    let root = n.isqrt();
    let small: Vec<i32> = (1..=root).filter(|d| n % d == 0).collect();
    let large = small.iter().rev().map(|d| n / d).filter(|&d| d > root);
    small.iter().copied().chain(large).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Class;

    fn divided(nodes: i32, dims: &[i32]) -> Result<Vec<i32>> {
        let mut dims = dims.to_vec();
        divide(nodes, &mut dims).map(|()| dims)
    }

    #[test]
    fn examples() {
        // Those of MPI 4.1 §8.5.2.
        assert_eq!(divided(6, &[0, 0]).unwrap(), [3, 2]);
        assert_eq!(divided(7, &[0, 0]).unwrap(), [7, 1]);
        assert_eq!(divided(6, &[0, 3, 0]).unwrap(), [2, 3, 1]);
        assert_eq!(divided(7, &[0, 3, 0]).unwrap_err().class, Class::Dims);
        assert_eq!(divided(1_000_000_000, &[0; 3]).unwrap(), [1000; 3]);
        assert_eq!(divided(1323, &[0, 0]).unwrap(), [49, 27]);
        assert_eq!(divided(1 << 30, &[0; 1000]).unwrap()[29..31], [2, 1]);
        assert_eq!(divided(i32::MAX, &[0; 4]).unwrap(), [i32::MAX, 1, 1, 1]);
        assert_eq!(divided(1, &[]).unwrap(), []);
    }

    #[test]
    fn what_cannot_be_divided_is_an_error() {
        assert_eq!(divided(4, &[-1, 0]).unwrap_err().class, Class::Dims);
        assert_eq!(divided(4, &[2, 3]).unwrap_err().class, Class::Dims);
        assert_eq!(divided(4, &[2]).unwrap_err().class, Class::Dims);
        assert_eq!(divided(2, &[]).unwrap_err().class, Class::Dims);
        assert_eq!(divided(4, &[1 << 20; 9]).unwrap_err().class, Class::Dims);
        assert_eq!(divided(0, &[0]).unwrap_err().class, Class::Arg);
    }

    /// The least difference of largest and smallest factor, by trying all.
    fn least_spread(n: i32, parts: usize, largest: i32, smallest: i32) -> i32 {
        if parts == 0 {
            return if n == 1 { largest - smallest } else { i32::MAX };
        }
        let factors = (1..=n).filter(|f| n % f == 0);
        factors
            .map(|f| least_spread(n / f, parts - 1, largest.max(f), smallest.min(f)))
            .min()
            .unwrap_or(i32::MAX)
    }

    #[test]
    fn nothing_is_closer() {
        for n in 1..=400 {
            for parts in 1..=4 {
                let dims = divided(n, &vec![0; parts]).unwrap();
                assert_eq!(dims.iter().product::<i32>(), n);
                assert!(dims.is_sorted_by(|a, b| a >= b), "{dims:?}");
                let spread = dims[0] - dims[parts - 1];
                assert_eq!(spread, least_spread(n, parts, 0, i32::MAX), "{n}: {dims:?}");
            }
        }
    }

    #[test]
    fn numbers_with_many_factors_take_no_time() {
        for parts in 1..40 {
            let dims = divided(2_095_133_040, &vec![0; parts]).unwrap();
            assert_eq!(dims.iter().product::<i32>(), 2_095_133_040);
        }
    }
}
