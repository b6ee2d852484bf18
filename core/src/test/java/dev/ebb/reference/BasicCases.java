package dev.ebb.reference;

import dev.ebb.Fn;
import dev.ebb.Fn2;
import dev.ebb.ir.Shape;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;

import java.util.List;
import java.util.Optional;

/** Elementwise ops, reductions, moves and indexing. */
public final class BasicCases implements CaseTable {

    public BasicCases() {}

    @Override
    public Optional<Fn<List<Tensor>, Tensor>> find(Case c) {
        return unary(c).or(() -> elementwise(c))
                .or(() -> reduction(c))
                .or(() -> move(c))
                .or(() -> index(c));
    }

    private static Optional<Fn<List<Tensor>, Tensor>> unary(Case c) {
        return switch (c.op()) {
            case "neg" -> one(Tensor::neg);
            case "abs" -> one(Tensor::abs);
            case "exp" -> one(Tensor::exp);
            case "expm1" -> one(Tensor::expm1);
            case "square" -> one(Tensor::square);
            case "sin" -> one(Tensor::sin);
            case "cos" -> one(Tensor::cos);
            case "atan" -> one(Tensor::atan);
            case "sinh" -> one(Tensor::sinh);
            case "cosh" -> one(Tensor::cosh);
            case "tanh" -> one(Tensor::tanh);
            case "asinh" -> one(Tensor::asinh);
            case "sigmoid" -> one(Tensor::sigmoid);
            case "relu" -> one(Tensor::relu);
            case "silu" -> one(Tensor::silu);
            case "softplus" -> one(Tensor::softplus);
            case "mish" -> one(Tensor::mish);
            case "selu" -> one(Tensor::selu);
            case "erf" -> one(Tensor::erf);
            case "erfc" -> one(Tensor::erfc);
            case "sign" -> one(Tensor::sign);
            case "floor" -> one(Tensor::floor);
            case "ceil" -> one(Tensor::ceil);
            case "round" -> one(Tensor::round);
            case "log_sigmoid" -> one(Tensor::logSigmoid);
            case "relu6" -> one(Tensor::relu6);
            case "hardswish" -> one(Tensor::hardswish);
            case "hardsigmoid" -> one(Tensor::hardsigmoid);
            case "softsign" -> one(Tensor::softsign);
            case "log" -> one(Tensor::log);
            case "log1p" -> one(Tensor::log1p);
            case "log2" -> one(Tensor::log2);
            case "sqrt" -> one(Tensor::sqrt);
            case "rsqrt" -> one(Tensor::rsqrt);
            case "reciprocal" -> one(Tensor::reciprocal);
            case "lgamma" -> one(Tensor::lgamma);
            case "digamma" -> one(Tensor::digamma);
            case "asin" -> one(Tensor::asin);
            case "acos" -> one(Tensor::acos);
            case "atanh" -> one(Tensor::atanh);
            case "tan" -> one(Tensor::tan);
            case "erfinv" -> one(Tensor::erfinv);
            case "acosh" -> one(Tensor::acosh);
            default -> Optional.empty();
        };
    }

    private static Optional<Fn<List<Tensor>, Tensor>> elementwise(Case c) {
        return switch (c.op()) {
            case "add" -> two(Tensor::add);
            case "sub" -> two(Tensor::sub);
            case "mul" -> two(Tensor::mul);
            case "maximum" -> two(Tensor::maximum);
            case "minimum" -> two(Tensor::minimum);
            case "atan2" -> two(Tensor::atan2);
            case "hypot" -> two(Tensor::hypot);
            case "logaddexp" -> two(Tensor::logaddexp);
            case "div" -> two(Tensor::div);
            case "pow" -> two(Tensor::pow);
            case "xlogy" -> two(Tensor::xlogy);
            case "gelu" ->
                    one(c.text("approximate").equals("tanh") ? Tensor::geluTanh : Tensor::gelu);
            case "leaky_relu" -> one(x -> x.leakyRelu(c.real("slope")));
            case "elu" -> one(x -> x.elu(c.real("alpha")));
            case "clamp" -> one(x -> x.clamp(c.real("min"), c.real("max")));
            case "pow_scalar" -> one(x -> x.pow(c.real("exponent")));
            case "matmul" -> two(Tensor::matmul);
            case "where" -> Optional.of(in -> Tensors.where(in.get(0), in.get(1), in.get(2)));
            default -> Optional.empty();
        };
    }

    private static Optional<Fn<List<Tensor>, Tensor>> reduction(Case c) {
        return switch (c.op()) {
            case "sum" -> one(x -> x.sum(axes(c, x), c.truth("keep")));
            case "mean" -> one(x -> x.mean(axes(c, x), c.truth("keep")));
            case "prod" -> one(x -> x.prod(axes(c, x), c.truth("keep")));
            case "amax" -> one(x -> x.amax(axes(c, x), c.truth("keep")));
            case "amin" -> one(x -> x.amin(axes(c, x), c.truth("keep")));
            case "logsumexp" -> one(x -> x.logsumexp(axes(c, x), c.truth("keep")));
            case "var" -> one(x -> x.variance(axes(c, x), c.whole("correction"), c.truth("keep")));
            case "std" -> one(x -> x.deviation(axes(c, x), c.whole("correction"), c.truth("keep")));
            case "norm" -> one(x -> x.norm(c.real("p"), axes(c, x), c.truth("keep")));
            case "cumsum" -> one(x -> x.cumsum(c.whole("axis")));
            case "cumprod" -> one(x -> x.cumprod(c.whole("axis")));
            case "argmax" -> one(x -> x.argmax(c.whole("axis")));
            case "sort" -> one(x -> x.sort(c.whole("axis"), c.truth("descending")).values());
            case "topk" -> one(x -> x.topk(c.whole("k"), c.whole("axis")).values());
            default -> Optional.empty();
        };
    }

    private static List<Integer> axes(Case c, Tensor x) {
        return c.axes("axes", x.rank());
    }

    private static Optional<Fn<List<Tensor>, Tensor>> move(Case c) {
        return switch (c.op()) {
            case "reshape" -> one(x -> x.reshape(new Shape(c.wholes("shape"))));
            case "permute" -> one(x -> x.permute(c.wholes("axes")));
            case "broadcast_to" -> one(x -> x.broadcastTo(new Shape(c.wholes("shape"))));
            case "slice" ->
                    one(x -> x.slice(c.wholes("start"), c.wholes("stop"), c.wholes("step")));
            case "flip" -> one(x -> x.flip(c.wholes("axes").getFirst()));
            case "roll" -> one(x -> x.roll(c.whole("shift"), c.whole("axis")));
            case "concat" -> Optional.of(in -> Tensors.concat(in, c.whole("axis")));
            case "stack" -> Optional.of(in -> Tensors.stack(in, c.whole("axis")));
            case "pad" -> one(x -> x.pad(c.wholes("low"), c.wholes("high"), c.real("value")));
            default -> Optional.empty();
        };
    }

    private static Optional<Fn<List<Tensor>, Tensor>> index(Case c) {
        return switch (c.op()) {
            case "index_select" -> two((x, i) -> x.indexSelect(c.whole("axis"), i));
            case "gather" -> two((x, i) -> x.gather(c.whole("axis"), i));
            case "scatter_add" ->
                    Optional.of(in -> in.get(0).scatterAdd(c.whole("axis"), in.get(1), in.get(2)));
            case "embedding" -> two(Tensor::embedding);
            default -> Optional.empty();
        };
    }

    private static Optional<Fn<List<Tensor>, Tensor>> one(Fn<Tensor, Tensor> f) {
        return Optional.of(in -> f.apply(in.get(0)));
    }

    private static Optional<Fn<List<Tensor>, Tensor>> two(Fn2<Tensor, Tensor, Tensor> f) {
        return Optional.of(in -> f.apply(in.get(0), in.get(1)));
    }
}
