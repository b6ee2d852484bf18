package dev.ebb.reference;

import static dev.ebb.reference.Sample.binary;
import static dev.ebb.reference.Sample.spread;
import static dev.ebb.reference.Sample.truths;
import static dev.ebb.reference.Sample.unary;

import dev.ebb.ir.DType;
import dev.ebb.ir.Shape;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;
import dev.ebb.tensor.grid.Grid;
import dev.ebb.tensor.op.Store;

import java.util.List;

/** Samples of elementwise ops. */
final class ElementSamples implements SampleTable {

    @Override
    public List<Sample> samples() {
        return List.of(
                unary("neg", -2, 2, Tensor::neg),
                unary("abs", -2, 2, Tensor::abs),
                unary("square", -2, 2, Tensor::square),
                unary("exp", -2, 2, Tensor::exp),
                unary("expm1", -2, 2, Tensor::expm1),
                unary("sin", -2, 2, Tensor::sin),
                unary("cos", -2, 2, Tensor::cos),
                unary("atan", -2, 2, Tensor::atan),
                unary("sinh", -2, 2, Tensor::sinh),
                unary("cosh", -2, 2, Tensor::cosh),
                unary("tanh", -2, 2, Tensor::tanh),
                unary("asinh", -2, 2, Tensor::asinh),
                unary("sign", -2, 2, Tensor::sign),
                unary("floor", -2, 2, Tensor::floor),
                unary("ceil", -2, 2, Tensor::ceil),
                unary("round", -2, 2, Tensor::round),
                unary("erf", -2, 2, Tensor::erf),
                unary("erfc", -2, 2, Tensor::erfc),
                unary("relu", -4.1, 7.3, Tensor::relu),
                unary("relu6", -4.1, 7.3, Tensor::relu6),
                unary("sigmoid", -4.1, 7.3, Tensor::sigmoid),
                unary("silu", -4.1, 7.3, Tensor::silu),
                unary("softplus", -4.1, 7.3, Tensor::softplus),
                unary("mish", -4.1, 7.3, Tensor::mish),
                unary("gelu", -4.1, 7.3, Tensor::gelu),
                unary("geluTanh", -4.1, 7.3, Tensor::geluTanh),
                unary("softsign", -4.1, 7.3, Tensor::softsign),
                unary("hardswish", -4.1, 7.3, Tensor::hardswish),
                unary("hardsigmoid", -4.1, 7.3, Tensor::hardsigmoid),
                unary("selu", -4.1, 7.3, Tensor::selu),
                unary("logSigmoid", -4.1, 7.3, Tensor::logSigmoid),
                unary("log", 0.5, 3, Tensor::log),
                unary("log2", 0.5, 3, Tensor::log2),
                unary("sqrt", 0.5, 3, Tensor::sqrt),
                unary("cbrt", 0.5, 3, Tensor::cbrt),
                unary("rsqrt", 0.5, 3, Tensor::rsqrt),
                unary("reciprocal", 0.5, 3, Tensor::reciprocal),
                unary("lgamma", 0.5, 3, Tensor::lgamma),
                unary("digamma", 0.5, 3, Tensor::digamma),
                unary("log1p", -0.5, 3, Tensor::log1p),
                unary("asin", -0.8, 0.8, Tensor::asin),
                unary("acos", -0.8, 0.8, Tensor::acos),
                unary("atanh", -0.8, 0.8, Tensor::atanh),
                unary("erfinv", -0.8, 0.8, Tensor::erfinv),
                unary("tan", -0.8, 0.8, Tensor::tan),
                unary("acosh", 1.3, 3, Tensor::acosh),
                unary("polygamma", 0.5, 3, x -> x.polygamma(2)),
                unary("leakyRelu", -2, 2, x -> x.leakyRelu(0.2)),
                unary("elu", -2, 2, x -> x.elu(1.3)),
                unary("clamp", -2, 2, x -> x.clamp(-0.51, 0.72)),
                unary("pow_scalar", 0.2, 2, x -> x.pow(3.5)),
                unary("pow_scalar of negatives", -2, 2, x -> x.pow(3)),
                unary("named", -2, 2, x -> x.named("here")),
                unary("detach", -2, 2, x -> x.mul(x.detach())).rough(),
                unary("cast", -2, 2, x -> x.cast(DType.F32)).rough(),
                unary("isNan", -2, 2, Tensor::isNan),
                binary("add", -2, 2, Tensor::add),
                binary("sub", -2, 2, Tensor::sub),
                binary("mul", -2, 2, Tensor::mul),
                binary("maximum", -2, 2, Tensor::maximum),
                binary("minimum", -2, 2, Tensor::minimum),
                binary("atan2", -2, 2, Tensor::atan2),
                binary("hypot", -2, 2, Tensor::hypot),
                binary("logaddexp", -2, 2, Tensor::logaddexp),
                binary("div", 0.4, 2, Tensor::div),
                binary("pow", 0.4, 2, Tensor::pow),
                binary("xlogy", 0.4, 2, Tensor::xlogy),
                Sample.of(
                        "remainder",
                        n -> List.of(spread(-1.9, -1.3, 1, 2, n), spread(1, 1.25, 2, n)),
                        n -> Shape.of(2, n),
                        in -> in.get(0).remainder(in.get(1))),
                binary("compare", -2, 2, Tensor::lt),
                Sample.of(
                                "grid",
                                n -> List.of(spread(-2, 2, 1, 2, n), spread(-2, 2, 2, 2, n)),
                                n -> Shape.of(2, n),
                                in -> grid(in.get(0), in.get(1)))
                        .rough(),
                Sample.of(
                        "store",
                        n -> List.of(spread(-2, 2, 1, 2, n), spread(-2, 2, 2, 2, n)),
                        n -> Shape.of(2, n),
                        in -> in.get(0).apply(new Store(), in.get(1))),
                Sample.of(
                        "where",
                        n -> List.of(truths(1, 2, n), spread(-2, 2, 1, 2, n), spread(-2, 2, 2, n)),
                        n -> Shape.of(2, n),
                        in -> Tensors.where(in.get(0), in.get(1), in.get(2))),
                Sample.of(
                        "and or xor not",
                        n -> List.of(truths(1, 2, n), truths(2, n)),
                        n -> Shape.of(2, n),
                        in -> in.get(0).and(in.get(1)).or(in.get(0).not()).xor(in.get(1))));
    }

    private static Tensor grid(Tensor x, Tensor f) {
        var grid = new Grid(12);
        return grid.scale(grid.sub(grid.add(grid.enter(x), f), f.mul(x)), 1);
    }
}
