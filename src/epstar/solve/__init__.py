"""Finding answers in floating point: nothing in this package is evidence until a proof has been checked."""
