package dev.ebb.tensor.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.ebb.Devices;
import dev.ebb.Ebb;
import dev.ebb.Fn;
import dev.ebb.Fn3;
import dev.ebb.ir.Shape;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Random;

/** The derivatives of a batch norm are those of its definition, written out. */
class StandardizeTest {
    private static final double EPSILON = 1e-2;

    /** What a norm is a function of. */
    public record Operands(Tensor x, Tensor weight, Tensor bias) {}

    private static final Operands AT = new Operands(noise(1, 3, 4, 5), noise(2, 4), noise(3, 4));

    private static Array noise(int seed, int... dims) {
        var shape = Shape.of(dims);
        var random = new Random(seed);
        return Array.of(shape, random.doubles(shape.size()).map(x -> 2 * x - 0.5).toArray());
    }

    private static Tensor byOp(Tensor x, Tensor weight, Tensor bias) {
        return x.batchNorm(weight, bias, EPSILON).y();
    }

    private static Tensor byDefinition(Tensor x, Tensor weight, Tensor bias) {
        var axes = List.of(0, 2);
        var mean = x.mean(axes, true);
        var variance = x.sub(mean).square().mean(axes, true);
        return x.sub(mean)
                .div(variance.add(EPSILON).sqrt())
                .mul(weight.reshape(1, 4, 1))
                .add(bias.reshape(1, 4, 1));
    }

    private static Fn<Operands, Tensor> loss(Fn3<Tensor, Tensor, Tensor, Tensor> norm) {
        return o -> norm.apply(o.x(), o.weight(), o.bias()).sin().mul(o.x()).sum();
    }

    /** A number that all derivatives of the loss flow into. */
    private static Fn<Operands, Tensor> steepness(Fn<Operands, Tensor> f) {
        return o -> {
            var g = Ebb.grad(f).apply(o);
            return g.x().square().sum().add(g.weight().sin().sum()).add(g.bias().square().sum());
        };
    }

    private static void agree(Fn<Operands, Tensor> actual, Fn<Operands, Tensor> expected) {
        try (var a = Ebb.compile(Ebb.grad(actual)).on(Devices.best());
                var e = Ebb.compile(Ebb.grad(expected)).on(Devices.best())) {
            var got = a.apply(AT);
            var want = e.apply(AT);
            close(got.x(), want.x());
            close(got.weight(), want.weight());
            close(got.bias(), want.bias());
        }
    }

    private static void close(Tensor actual, Tensor expected) {
        assertThat(((Array) actual).toDoubles())
                .containsExactly(((Array) expected).toDoubles(), within(1e-9));
    }

    @Test
    void first_derivatives() {
        agree(loss(StandardizeTest::byOp), loss(StandardizeTest::byDefinition));
    }

    @Test
    void second_derivatives() {
        agree(
                steepness(loss(StandardizeTest::byOp)),
                steepness(loss(StandardizeTest::byDefinition)));
    }

    @Test
    void third_derivatives() {
        agree(
                steepness(steepness(loss(StandardizeTest::byOp))),
                steepness(steepness(loss(StandardizeTest::byDefinition))));
    }

    @Test
    void a_backward_half_takes_two_sums() {
        var step = Ebb.grad(loss(StandardizeTest::byOp));
        var text = Ebb.compile(step).on(Devices.best()).plan(AT).schedule().problem().graph();
        long folds =
                text.nodes().stream()
                        .filter(n -> n.kernel() instanceof dev.ebb.ir.Kernel.Fold)
                        .count();
        // mean and variance before, two sums after; the loss itself is not asked for
        assertThat(folds).isEqualTo(4);
    }
}
