package dev.ebb.examples;

import dev.ebb.Ebb;
import dev.ebb.Fn;
import dev.ebb.Reversible;
import dev.ebb.ir.Inverse;
import dev.ebb.ir.Scalar;
import dev.ebb.ir.Shape;
import dev.ebb.ir.Trait;
import dev.ebb.ir.Type;
import dev.ebb.nn.Init;
import dev.ebb.nn.Seed;
import dev.ebb.plan.Budget;
import dev.ebb.solve.Leapfrog;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Unary;
import dev.ebb.tensor.grid.Grid;

import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

/** Values that are not kept but rebuilt from later values by inverses. */
public final class Example9Reversible {
    private Example9Reversible() {}

    public static void main(String[] args) {
        System.out.println(least(4) + " bytes for 4 blocks, " + least(10) + " for 10");
        System.out.println(orbit(Budget.unlimited()));
    }

    // [reversible-stack
    /** A weight for each of the two branches of every block. */
    public record Net(List<Tensor> f, List<Tensor> g, Tensor x) {
        Tensor loss() {
            var blocks =
                    IntStream.range(0, f.size())
                            .mapToObj(
                                    i ->
                                            Reversible.block(
                                                    x -> x.matmul(f.get(i)).tanh(),
                                                    x -> x.matmul(g.get(i)).tanh()))
                            .toList();
            var out = Reversible.stack(blocks).apply(Reversible.Streams.of(x));
            return out.sum().square().mean();
        }
    }

    // reversible-stack]

    /** The smallest memory for the gradient, besides the weights. */
    static long least(int blocks) {
        var weights =
                IntStream.range(0, 2 * blocks)
                        .mapToObj(i -> (Tensor) noise(Shape.of(16, 16), 0.2, i))
                        .toList();
        var net =
                new Net(
                        weights.subList(0, blocks),
                        weights.subList(blocks, 2 * blocks),
                        noise(Shape.of(256, 16), 1, -1));
        try (var gradient = Ebb.compile(Ebb.grad((Fn<Net, Tensor>) Net::loss))) {
            return gradient.plan(net).leastBytes() - 2L * blocks * 16 * 16 * 4;
        }
    }

    private static Array noise(Shape shape, double deviation, long seed) {
        return Init.normal(deviation).of(shape, new Seed(seed));
    }

    // [leapfrog
    /**
     * The distance of a planet from its sun after a thousand steps, as a function of its initial
     * position.
     */
    static Tensor distance(Tensor start) {
        var first = new Leapfrog.State(start, Array.of(0.0, 1.1));
        var frog = new Leapfrog(1000, new Grid(44));
        var end = frog.solve(x -> x.neg().div(x.square().sum().pow(1.5)), first, 10);
        return end.place().square().sum().sqrt();
    }

    static Tensor orbit(Budget budget) {
        try (var gradient = Ebb.compile(Ebb.grad(Example9Reversible::distance)).within(budget)) {
            return gradient.apply(Array.of(1.0, 0.0));
        }
    }

    // leapfrog]

    // [own-inverse
    /** An op that defines an inverse: its input is rebuilt from output 0. */
    record Mirror() implements Unary {
        @Override
        public Scalar at(Scalar x) {
            return x.neg();
        }

        @Override
        public Tensor vjp(Tensor x, Tensor y, Tensor dy) {
            return dy.neg();
        }

        @Override
        public List<Inverse> inverses(List<Type> inputs) {
            return List.of(Inverse.exact(0, new Mirror(), List.of(1)));
        }

        @Override
        public Set<Trait> traits() {
            return Set.of(Trait.ALONE);
        }
    }

    // own-inverse]

    static Tensor mirrored() {
        Fn<Tensor, Tensor> f = x -> x.exp().apply(new Mirror()).square().sum();
        try (var gradient = Ebb.compile(Ebb.grad(f))) {
            return gradient.verify(Array.of(0.0, 1.0));
        }
    }
}
