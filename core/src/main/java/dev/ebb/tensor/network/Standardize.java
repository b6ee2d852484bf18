package dev.ebb.tensor.network;

import dev.ebb.ir.Kernel;
import dev.ebb.ir.Scalar;
import dev.ebb.ir.Type;
import dev.ebb.ir.View;
import dev.ebb.tensor.Differentiable;
import dev.ebb.tensor.Rule;
import dev.ebb.tensor.Tensor;

import java.util.List;

/**
 * {@code (x - mean) * scale * weight + bias}, where mean and scale are the mean of x and the
 * reciprocal of its deviation along the axes that they have with size one, and weight and bias have
 * the same shape as they do. The statistics get no cotangent here: the rule is the derivative of
 * the whole function in closed form, so that a backward half takes two sums over x and one pass.
 * The derivative consists of differentiable ops, so higher orders follow.
 */
record Standardize() implements Differentiable {
    /** Of x by its own moments; the result is of x's type, all else is wide. */
    static Tensor of(Tensor x, Moments moments, double epsilon, Tensor weight, Tensor bias) {
        var type = moments.mean().dtype();
        var scale = Moments.reciprocalRoot(moments.variance(), epsilon);
        return x.apply(
                new Standardize(), moments.mean(), scale, weight.cast(type), bias.cast(type));
    }

    @Override
    public List<Type> infer(List<Type> in) {
        return in.subList(0, 1);
    }

    @Override
    public Kernel kernel(List<Type> in) {
        var x = in.getFirst();
        var wide = Scalar.arg(0).cast(in.get(1).dtype());
        var y =
                wide.sub(Scalar.arg(1))
                        .mul(Scalar.arg(2))
                        .mul(Scalar.arg(3))
                        .add(Scalar.arg(4))
                        .cast(x.dtype());
        var views = in.stream().map(t -> View.broadcast(t.shape(), x.shape())).toList();
        return Kernel.Map.of(x.shape(), views, y);
    }

    @Override
    public void vjp(Rule rule) {
        var mean = rule.in(1);
        var scale = rule.in(2);
        var x = rule.in(0).cast(mean.dtype());
        var dy = rule.dout(0).cast(mean.dtype());
        var normal = x.sub(mean).mul(scale);
        var axes = x.shape().allAxes().stream().filter(a -> mean.dim(a) != x.dim(a)).toList();
        double share = mean.shape().size() / (double) Math.max(1, x.shape().size());
        var sum = dy.sum(axes, true);
        var product = dy.mul(normal).sum(axes, true);
        rule.add(3, product);
        rule.add(4, sum);
        if (!rule.wants(0)) return;
        var centred = dy.sub(sum.mul(share)).sub(normal.mul(product.mul(share)));
        rule.add(0, centred.mul(scale.mul(rule.in(3))).cast(rule.in(0).dtype()));
    }
}
