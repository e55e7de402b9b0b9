"""Why well-known operators are refused, and what to write in their place. It refuses nothing by itself:
everything outside of the table of allowed operators is refused, with the reason found here or a general one.
"""

GENERAL_REASON = (
    "is not on the list of allowed operators: linear, embedding, matmul, einsum, sum, addition, "
    "multiplication, relu, indexing, reshaping and constants"
)

_COMPARISON = "compares, which is not allowed; a step can be approximated by relu(k * x) - relu(k * x - 1)"
_DIVISION = (
    "divides, which is not allowed; multiply by a constant where the divisor is fixed, else "
    "approximate it with relu"
)
_POWER = "takes a power, which is not allowed; x * x is"
_EXPONENTIAL = "is built from exponentials or logarithms, which are not allowed"
_ACTIVATION = "is a nonlinearity other than relu, which is the only one that is allowed"
_MEAN = "averages, which is not allowed; sum and multiply by a constant"
_NORMALISATION = "normalises by what it computes, which is not allowed; multiply by a learned constant"
_ROUNDING = "rounds, which is not allowed"
_ORDER = "orders or picks by value, which is not allowed"
_RANDOM = "draws at random; a model must give the same answer every time"
_MEMORY = "reads memory by address or as another type; use slicing, unfold, expand or reshape"
_VALUE = "makes Python's control flow or a size depend on values in a tensor; keep to tensor operations"
_CONVOLUTION = "is not on the list; write it as shifts and linear maps, such as sum(linear_k(shift(x, k)))"
_LOGIC = "works on bits or truth values, which is not allowed"

_REASONS = {
    _COMPARISON: (
        "eq ne lt le gt ge where masked_fill masked_select maximum minimum fmax fmin clamp clamp_min "
        "clamp_max clip sign sgn signbit heaviside equal isclose allclose isnan isinf isfinite abs "
        "absolute one_hot threshold hardtanh relu6 bucketize searchsorted isin copysign hardshrink "
        "softshrink greater less not_equal"
    ),
    _DIVISION: (
        "div divide true_divide floor_divide reciprocal rsqrt remainder fmod addcdiv linalg_inv inverse "
        "linalg_solve linalg_inv_ex linalg_pinv"
    ),
    _POWER: "pow float_power square sqrt linalg_matrix_power matrix_power hypot cbrt _foreach_pow",
    _EXPONENTIAL: (
        "exp exp2 expm1 log log2 log10 log1p logsumexp logaddexp logaddexp2 softmax _softmax log_softmax "
        "_log_softmax xlogy linalg_matrix_exp matrix_exp scaled_dot_product_attention special_softmax "
        "special_log_softmax cross_entropy_loss nll_loss nll_loss_nd special_entr special_xlogy"
    ),
    _ACTIVATION: (
        "gelu silu mish sigmoid tanh elu selu celu leaky_relu prelu _prelu_kernel rrelu softplus softsign "
        "hardsigmoid hardswish log_sigmoid glu erf erfc erfinv sin cos tan asin acos atan atan2 sinh cosh "
        "asinh acosh atanh sinc i0 lgamma digamma polygamma logit special_expit special_erf special_logit "
        "frac lerp lstm gru rnn_tanh rnn_relu"
    ),
    _MEAN: (
        "mean nanmean avg_pool1d avg_pool2d avg_pool3d adaptive_avg_pool1d adaptive_avg_pool2d var std "
        "var_mean"
    ),
    _NORMALISATION: (
        "layer_norm native_layer_norm batch_norm group_norm instance_norm rms_norm _fused_rms_norm norm "
        "linalg_norm linalg_vector_norm cosine_similarity renorm local_response_norm weight_norm "
        "_weight_norm embedding_renorm pairwise_distance cdist _native_batch_norm_legit_no_training "
        "native_group_norm std_mean"
    ),
    _ROUNDING: (
        "round floor ceil trunc fix quantize_per_tensor quantize_per_channel fake_quantize_per_tensor_affine"
    ),
    _ORDER: (
        "max min amax amin argmax argmin aminmax sort argsort msort topk kthvalue median mode quantile "
        "max_pool1d max_pool2d max_pool1d_with_indices adaptive_max_pool1d cummax cummin unique "
        "unique_consecutive _unique2 max_pool2d_with_indices nanmedian histc bincount"
    ),
    _RANDOM: (
        "rand randn randint randperm normal uniform bernoulli multinomial rand_like randn_like randint_like "
        "exponential native_dropout alpha_dropout feature_dropout poisson random"
    ),
    _MEMORY: "as_strided as_strided_copy as_strided_scatter view_as_real view_as_complex set from_blob",
    _VALUE: (
        "item _local_scalar_dense is_nonzero nonzero nonzero_static argwhere _assert_async "
        "sym_constrain_range sym_constrain_range_for_size _assert_scalar cond"
    ),
    _CONVOLUTION: (
        "conv1d conv2d conv3d convolution conv_transpose1d conv_transpose2d conv_tbc im2col unfold_backward"
    ),
    _LOGIC: (
        "bitwise_and bitwise_or bitwise_xor bitwise_not bitwise_left_shift bitwise_right_shift logical_and "
        "logical_or logical_not logical_xor any all __and__ __or__ __xor__ __lshift__ __rshift__ gcd lcm"
    ),
    "is not on the list; multiply by a constant triangle of ones": "cumsum logcumsumexp",
    "is not on the list; multiply one by one, as x[..., 0] * x[..., 1]": "prod cumprod",
    "computes with complex numbers, which are not allowed": (
        "complex polar real imag fft_fft fft_rfft fft_ifft fft_irfft fft_fft2 fft_hfft conj angle"
    ),
    "is not on the list; gather from the other side by fixed indices": (
        "scatter scatter_add scatter_reduce index_put index_add index_copy index_fill index_reduce"
    ),
    "sums bags by default as means or maxima; use embedding and sum": "embedding_bag _embedding_bag",
}

_BY_NAME = {name: reason for reason, names in _REASONS.items() for name in names.split()}

_OVERLOADS = {
    "aten.view.dtype": "reads numbers as the bits of another type, which is not allowed",
    "aten.repeat_interleave.Tensor": _VALUE,
    "aten.view_copy.dtype": "reads numbers as the bits of another type, which is not allowed",
}


def reasons_by_operators() -> list[tuple[str, list[str]]]:
    """Every reason with the operators that it is given for, for the page of operators."""
    return [(reason, names.split()) for reason, names in _REASONS.items()]


def reason_for(operator: str) -> str:
    """Why an operator that is not in the table is refused, in words that say what to do."""
    if operator in _OVERLOADS:
        return _OVERLOADS[operator]
    namespace, _, rest = operator.partition(".")
    if namespace == "higher_order":
        return (
            "holds a graph of its own (control flow, checkpointing, torch.no_grad or autocast inside of "
            "`forward`); write the operations out, and switch gradients off outside of the model"
        )
    if namespace in ("_operator", "math", "torch"):
        return "computes with sizes or numbers outside of tensors; only products of sizes are allowed"
    if namespace not in ("aten", "prims"):
        return "is a custom operator; a model may use the listed operators of ATen only"
    name = rest.partition(".")[0]
    if name in _BY_NAME:
        return _BY_NAME[name]
    plain = name.rstrip("_")
    if name.endswith("_") and not name.endswith("__"):
        return (
            _BY_NAME.get(plain)
            or "changes a tensor in place; make a new one, as x = x + y in place of x += y"
        )
    if name.startswith("special_"):
        return _BY_NAME.get(name.removeprefix("special_"), _ACTIVATION)
    if name.startswith(("fft_", "linalg_")):
        return _BY_NAME.get(name, "is not on the list; write it with matrix products and sums")
    return GENERAL_REASON
