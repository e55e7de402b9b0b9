"""triton_cumsum: kernels for a prefix sum, timed on a device."""
