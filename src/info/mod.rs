//! Info objects.
