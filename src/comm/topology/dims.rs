//! Dividing processes among dimensions (MPI 4.1 §8.5.2).

use crate::bail;
use crate::error::Result;
use std::ops::RangeInclusive;

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
/// the one with the largest largest, and of these the one with the largest at the end, the last but one, and so on. (The
/// standard leaves this open; it is what MPICH does.)
fn balanced(n: i32, parts: usize) -> Vec<i32> {
    // No number has more factors but 1 than there are bits; the others are 1.
    let searched = parts.min(i32::BITS as usize - 1);
    if searched == 0 {
        return Vec::new();
    }
    let divisors = divisors(n);
    let mut best: Vec<i32> = Vec::new();
    for &largest in &divisors {
        let lowest = match best.last() {
            Some(smallest) => (largest - (best[0] - smallest)).max(1),
            None => 1,
        };
        if power(lowest, searched) > n as u128 {
            break;
        }
        let mut factors = Vec::with_capacity(searched);
        if fill(
            &divisors,
            n / largest,
            searched - 1,
            lowest..=largest,
            &mut factors,
        ) {
            factors.push(largest);
            factors.reverse();
            best = factors;
        }
    }
    best.resize(parts, 1);
    best
}

/// Adds so many factors of `n` within the bounds, the smallest first and each as large as can be; false if there are none.
fn fill(
    divisors: &[i32],
    n: i32,
    left: usize,
    bounds: RangeInclusive<i32>,
    factors: &mut Vec<i32>,
) -> bool {
    if left == 0 {
        return n == 1;
    }
    if power(*bounds.end(), left) < n as u128 {
        return false;
    }
    let begin = divisors.partition_point(|d| d < bounds.start());
    let end = divisors.partition_point(|d| d <= bounds.end() && power(*d, left) <= n as u128);
    for &factor in divisors[begin.min(end)..end].iter().rev() {
        if n % factor == 0 {
            factors.push(factor);
            let bounds = factor..=*bounds.end();
            if fill(divisors, n / factor, left - 1, bounds, factors) {
                return true;
            }
            factors.pop();
        }
    }
    false
}

fn power(base: i32, exponent: usize) -> u128 {
    (base as u128).saturating_pow(exponent as u32)
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
        assert_eq!(divided(5040, &[0; 3]).unwrap(), [21, 16, 15]);
        assert_eq!(divided(5616, &[0; 4]).unwrap(), [13, 9, 8, 6]);
        assert_eq!(divided(98784, &[0; 5]).unwrap(), [14, 14, 9, 8, 7]);
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
