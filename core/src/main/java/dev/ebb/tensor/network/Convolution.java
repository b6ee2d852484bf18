package dev.ebb.tensor.network;

import dev.ebb.ir.Kernel;
import dev.ebb.ir.Kernel.Side;
import dev.ebb.ir.Shape;
import dev.ebb.ir.ShapeException;
import dev.ebb.ir.Type;
import dev.ebb.tensor.Differentiable;
import dev.ebb.tensor.Rule;
import dev.ebb.tensor.Tensor;

import java.util.ArrayList;
import java.util.List;

/**
 * A convolution is the trilinear form sum(input * weight * output); this op computes one of the
 * three from the other two. The derivative of each consists of the other two ops, so three kernels
 * suffice for all orders.
 */
record Convolution(Kernel.Convolve form) implements Differentiable {

    @Override
    public String name() {
        return switch (form.side()) {
            case OUTPUT -> "convolve";
            case INPUT -> "convolve_input";
            case WEIGHT -> "convolve_weight";
        };
    }

    /** {@code x} [batch, channels, ...] by {@code w} [out channels, channels / groups, ...]. */
    static Tensor forward(Tensor x, Tensor w, Conv conv) {
        int rank = spatial("conv", x, w);
        var c = conv.over(rank);
        divides("conv", "out channels", w.dim(0), c);
        divides("conv", "channels", x.dim(1), c);
        if (w.dim(1) != x.dim(1) / c.groups()) {
            throw new ShapeException(
                    ("conv: %s has %s channels in %s groups, so the second axis of the weight %s"
                                    + " must have %s")
                            .formatted(
                                    x.type(),
                                    x.dim(1),
                                    c.groups(),
                                    w.type(),
                                    x.dim(1) / c.groups()));
        }
        var out = new ArrayList<Integer>();
        for (int d = 0; d < rank; d++) {
            int padded = x.dim(2 + d) + c.low().get(d) + c.high().get(d);
            int reach = (w.dim(2 + d) - 1) * c.dilation().get(d) + 1;
            if (w.dim(2 + d) < 1 || padded < reach) {
                throw new ShapeException(
                        ("conv: spatial axis %s of %s has %s elements with its padding, the kernel"
                                        + " reaches over %s; pad more or use a smaller kernel")
                                .formatted(d, x.type(), padded, reach));
            }
            out.add((padded - reach) / c.stride().get(d) + 1);
        }
        var form =
                new Kernel.Convolve(
                        Side.OUTPUT,
                        x.dim(0),
                        c.groups(),
                        w.dim(1),
                        w.dim(0) / c.groups(),
                        axes(x),
                        axes(w),
                        out,
                        c.stride(),
                        c.low(),
                        c.dilation());
        return x.apply(new Convolution(form), w);
    }

    /** {@code x} [batch, channels, ...] by {@code w} [channels, out channels / groups, ...]. */
    static Tensor transposed(Tensor x, Tensor w, Conv conv) {
        int rank = spatial("conv_transpose", x, w);
        var c = conv.over(rank);
        divides("conv_transpose", "channels", x.dim(1), c);
        if (w.dim(0) != x.dim(1)) {
            throw new ShapeException(
                    ("conv_transpose: the first axis of the weight %s must have the %s channels of"
                                    + " %s")
                            .formatted(w.type(), x.dim(1), x.type()));
        }
        var in = new ArrayList<Integer>();
        for (int d = 0; d < rank; d++) {
            int reach = (w.dim(2 + d) - 1) * c.dilation().get(d) + 1;
            int padding = c.low().get(d) + c.high().get(d);
            int extra = c.extra().get(d);
            if (extra >= Math.max(c.stride().get(d), c.dilation().get(d))) {
                throw new ShapeException(
                        ("conv_transpose: an output padding of %s must be less than the stride %s"
                                        + " or the dilation %s")
                                .formatted(extra, c.stride().get(d), c.dilation().get(d)));
            }
            int size = (x.dim(2 + d) - 1) * c.stride().get(d) + reach - padding + extra;
            if (x.dim(2 + d) < 1 || w.dim(2 + d) < 1 || size < 1) {
                throw new ShapeException(
                        "conv_transpose: spatial axis %s of %s by %s leaves %s elements; pad less"
                                .formatted(d, x.type(), w.type(), size));
            }
            in.add(size);
        }
        var form =
                new Kernel.Convolve(
                        Side.INPUT,
                        x.dim(0),
                        c.groups(),
                        w.dim(1),
                        x.dim(1) / c.groups(),
                        in,
                        axes(w),
                        axes(x),
                        c.stride(),
                        c.low(),
                        c.dilation());
        return w.apply(new Convolution(form), x);
    }

    private static int spatial(String op, Tensor x, Tensor w) {
        if (x.rank() < 3 || x.rank() > 5 || w.rank() != x.rank()) {
            throw new ShapeException(
                    ("%s of %s by %s: both need two axes of batch and channels and then one to"
                                    + " three spatial axes")
                            .formatted(op, x.type(), w.type()));
        }
        return x.rank() - 2;
    }

    private static void divides(String op, String name, int count, Conv c) {
        if (count % c.groups() != 0) {
            throw new ShapeException(
                    "%s: %s %s do not divide into %s groups"
                            .formatted(op, count, name, c.groups()));
        }
    }

    private static List<Integer> axes(Tensor t) {
        return t.shape().dims().subList(2, t.rank());
    }

    private Shape shape(Side side) {
        int groups = form.groups();
        return switch (side) {
            case INPUT -> Shape.of(form.batch(), groups * form.inChannels()).append(form.in());
            case WEIGHT ->
                    Shape.of(groups * form.outChannels(), form.inChannels()).append(form.kernel());
            case OUTPUT -> Shape.of(form.batch(), groups * form.outChannels()).append(form.out());
        };
    }

    /** The two sides that are operands, in the order input, weight, output. */
    private List<Side> given() {
        return switch (form.side()) {
            case OUTPUT -> List.of(Side.INPUT, Side.WEIGHT);
            case INPUT -> List.of(Side.WEIGHT, Side.OUTPUT);
            case WEIGHT -> List.of(Side.INPUT, Side.OUTPUT);
        };
    }

    @Override
    public List<Type> infer(List<Type> in) {
        for (int i = 0; i < 2; i++) {
            var expected = in.getFirst().with(shape(given().get(i)));
            if (!in.get(i).equals(expected) || !expected.dtype().isFloat()) {
                throw new ShapeException(
                        ("%s: operand %s is %s where floats of type %s are expected; cast or"
                                        + " reshape it")
                                .formatted(name(), i, in.get(i), expected));
            }
        }
        return List.of(in.getFirst().with(shape(form.side())));
    }

    @Override
    public Kernel kernel(List<Type> in) {
        return form;
    }

    @Override
    public void vjp(Rule rule) {
        for (int i = 0; i < 2; i++) {
            if (!rule.wants(i)) continue;
            var side = given().get(i);
            // the cotangent takes the place of this op's result
            var other = new Convolution(withSide(side));
            var operands =
                    other.given().stream()
                            .map(s -> s == form.side() ? rule.dout(0) : rule.in(given().indexOf(s)))
                            .toList();
            rule.add(i, operands.getFirst().apply(other, operands.getLast()));
        }
    }

    private Kernel.Convolve withSide(Side side) {
        return new Kernel.Convolve(
                side,
                form.batch(),
                form.groups(),
                form.inChannels(),
                form.outChannels(),
                form.in(),
                form.kernel(),
                form.out(),
                form.stride(),
                form.low(),
                form.dilation());
    }
}
