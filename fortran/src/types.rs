//! What the modules of MPICH have for handles and statuses, by the names that compilers gave it: comparisons, assignments, sizes.
