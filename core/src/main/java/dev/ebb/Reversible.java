package dev.ebb;

import dev.ebb.control.ApproximateAdd;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.grid.Grid;

import java.util.List;
import java.util.Optional;

/**
 * Reversible blocks (Gomez et al., "The reversible residual network", 2017). Each of two streams is
 * changed by a function of the other: {@code y1 = x1 + f(x2)}, {@code y2 = x2 + g(y1)}. The inputs
 * can be computed from the outputs, {@code x2 = y2 - g(y1)}, {@code x1 = y1 - f(x2)}, so a plan
 * that is short of memory keeps no stream, however many blocks there are. Floating-point addition
 * is not exactly invertible; the streams are therefore rounded to a {@link Grid}, on which it is,
 * to the last bit (as in MacKay et al., "Reversible recurrent neural networks", 2018, with wrapping
 * instead of a buffer for lost bits).
 */
public final class Reversible {
    private Reversible() {}

    /**
     * The two streams of a reversible block. A tensor is split into two halves at the start and is
     * the sum of both streams at the end, which is the tensor plus the outputs of all branches, as
     * in a network of plain residual blocks.
     */
    public record Streams(Tensor first, Tensor second) {

        /** Half of {@code x} in each stream. */
        public static Streams of(Tensor x) {
            var half = x.mul(0.5);
            return new Streams(half, half);
        }

        /** The sum of both streams: one tensor again. */
        public Tensor sum() {
            return first.add(second);
        }
    }

    /** A block of two branches; alone, it is a stack of one. */
    public record Block(Fn<Tensor, Tensor> f, Fn<Tensor, Tensor> g)
            implements Fn<Streams, Streams> {
        @Override
        public Streams apply(Streams in) {
            return stack(List.of(this)).apply(in);
        }
    }

    /** How a branch's output is added to a stream. */
    private interface Coupling {
        Streams enter(Streams in);

        Tensor add(Tensor x, Tensor f);
    }

    /** {@code y1 = x1 + f(x2)}, {@code y2 = x2 + g(y1)}. */
    public static Block block(Fn<Tensor, Tensor> f, Fn<Tensor, Tensor> g) {
        return new Block(f, g);
    }

    /** Blocks one after the other, on the usual grid for the type of their streams. */
    public static Fn<Streams, Streams> stack(List<Block> blocks) {
        return stack(blocks, Optional.<Grid>empty());
    }

    /** Blocks one after the other, on {@code grid}. */
    public static Fn<Streams, Streams> stack(List<Block> blocks, Grid grid) {
        return stack(blocks, Optional.of(grid));
    }

    private static Fn<Streams, Streams> stack(List<Block> blocks, Optional<Grid> chosen) {
        var all = List.copyOf(blocks);
        return in -> {
            var grid = chosen.orElseGet(() -> Grid.of(in.first.dtype()));
            return run(all, new OnGrid(grid), in);
        };
    }

    /**
     * Blocks one after the other in plain floating point, whose streams are rebuilt only
     * approximately: a plan that rebuilds them changes the bits of the gradient, and marks it.
     */
    public static Fn<Streams, Streams> approximate(List<Block> blocks) {
        var all = List.copyOf(blocks);
        return in -> run(all, new Plain(), in);
    }

    /**
     * {@code carry = body(carry)}, {@code times} times, as {@link Loop#repeat}, with an exact
     * {@code inverse}: from the carry after an iteration it returns the one before, to the last
     * bit. If memory does not suffice for the tapes of all iterations, the gradient runs the loop
     * backwards from its end, in memory that does not grow with the number of iterations. It is
     * checked that this leads back to the initial carry.
     */
    public static <C> C repeat(int times, C carry, Fn<C, C> body, Fn<C, C> inverse) {
        return Loop.repeat(times, carry, body, Optional.of(inverse));
    }

    private static Streams run(List<Block> blocks, Coupling coupling, Streams in) {
        var x = Ebb.region("enter", () -> coupling.enter(in));
        for (int i = 0; i < blocks.size(); i++) {
            var block = blocks.get(i);
            var from = x;
            x = Ebb.region("block " + i, () -> through(block, coupling, from));
        }
        return x;
    }

    private static Streams through(Block block, Coupling coupling, Streams x) {
        var first = Ebb.region("f", () -> coupling.add(x.first, block.f.apply(x.second)));
        var second = Ebb.region("g", () -> coupling.add(x.second, block.g.apply(first)));
        return new Streams(first, second);
    }

    private record OnGrid(Grid grid) implements Coupling {
        @Override
        public Streams enter(Streams in) {
            return new Streams(grid.enter(in.first), grid.enter(in.second));
        }

        @Override
        public Tensor add(Tensor x, Tensor f) {
            return grid.add(x, f);
        }
    }

    private record Plain() implements Coupling {
        @Override
        public Streams enter(Streams in) {
            return in;
        }

        @Override
        public Tensor add(Tensor x, Tensor f) {
            return x.apply(new ApproximateAdd(), f);
        }
    }
}
