package dev.ebb.tensor.grid;

import dev.ebb.ir.Buffer;
import dev.ebb.ir.DType;
import dev.ebb.ir.Inverse;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Scalar;
import dev.ebb.ir.Shape;
import dev.ebb.ir.ShapeException;
import dev.ebb.ir.Trait;
import dev.ebb.ir.Type;
import dev.ebb.ir.View;
import dev.ebb.tensor.Differentiable;
import dev.ebb.tensor.Rule;
import dev.ebb.tensor.ZeroDerivative;

import java.util.List;
import java.util.Set;

/**
 * Arithmetic on a {@link Grid}. Each op is a kernel of its own, so that streams are in memory,
 * where they can be inverted.
 */
final class GridOps {
    private GridOps() {}

    /**
     * An elementwise op on a grid, of one shape throughout; further operands are only waited for.
     */
    interface OnGrid extends Differentiable {

        /** How many operands the arithmetic reads. */
        int reads();

        Scalar at(DType type);

        @Override
        default List<Type> infer(List<Type> in) {
            var x = in.getFirst();
            Grid.half(x.dtype());
            for (Type f : in.subList(1, reads())) {
                if (!f.equals(x)) {
                    throw new ShapeException(
                            ("%s of %s and %s: what is added must have the stream's shape and"
                                 + " element type; use broadcastTo or cast in the branch")
                                    .formatted(name(), x, f));
                }
            }
            return List.of(x);
        }

        @Override
        default Kernel kernel(List<Type> in) {
            var shape = in.getFirst().shape();
            var views = in.stream().map(t -> View.broadcast(t.shape(), shape)).toList();
            return Kernel.Map.of(shape, views, at(in.getFirst().dtype()));
        }

        @Override
        default Set<Trait> traits() {
            return Set.of(Trait.ALONE);
        }
    }

    /**
     * The whole number of steps nearest to {@code x}, which is less than half of them from zero.
     */
    private static Scalar steps(Grid grid, Scalar x, DType type) {
        double half = Grid.half(type);
        var away =
                x.ge(new Scalar.Lit(type, 0))
                        .select(new Scalar.Lit(type, half), new Scalar.Lit(type, -half));
        return integer(grid, x, type).add(away).sub(away);
    }

    /** The value of this number of grid steps, wrapped around if it lies beyond an end. */
    private static Scalar wrapped(Grid grid, Scalar steps, DType type) {
        double half = Grid.half(type);
        var over = steps.ge(new Scalar.Lit(type, half));
        var under = steps.lt(new Scalar.Lit(type, -half));
        var none = new Scalar.Lit(type, 0);
        var all = new Scalar.Lit(type, 2 * half);
        var turn = over.select(all, under.select(new Scalar.Lit(type, -2 * half), none));
        return steps.sub(turn).mul(new Scalar.Lit(type, grid.step()));
    }

    private static Scalar integer(Grid grid, Scalar x, DType type) {
        return x.mul(new Scalar.Lit(type, 1 / grid.step()));
    }

    /** Rounds to the nearest number of the grid. */
    record GridEnter(Grid grid) implements OnGrid {
        @Override
        public int reads() {
            return 1;
        }

        @Override
        public Scalar at(DType type) {
            return steps(grid, Scalar.arg(0), type).mul(new Scalar.Lit(type, grid.step()));
        }

        @Override
        public void vjp(Rule rule) {
            rule.add(0, rule.dout(0));
        }
    }

    /** {@code x + f}, or {@code x - f} if {@code minus}; either can be inverted for {@code x}. */
    record GridSum(Grid grid, boolean minus) implements OnGrid {
        @Override
        public String name() {
            return minus ? "grid_sub" : "grid_add";
        }

        @Override
        public int reads() {
            return 2;
        }

        @Override
        public Scalar at(DType type) {
            var x = integer(grid, Scalar.arg(0), type);
            var f = steps(grid, Scalar.arg(1), type);
            return wrapped(grid, minus ? x.sub(f) : x.add(f), type);
        }

        @Override
        public List<Inverse> inverses(List<Type> in) {
            return List.of(Inverse.exact(0, new GridSum(grid, !minus), List.of(in.size(), 1)));
        }

        @Override
        public void vjp(Rule rule) {
            rule.add(0, rule.dout(0));
            rule.add(1, minus ? rule.dout(0).neg() : rule.dout(0));
        }
    }

    /** The same number of steps on another grid. */
    record GridScale(Grid grid, int power) implements OnGrid {
        GridScale {
            grid.scaled(power);
        }

        @Override
        public int reads() {
            return 1;
        }

        @Override
        public Scalar at(DType type) {
            return Scalar.arg(0).mul(new Scalar.Lit(type, Math.scalb(1.0, power)));
        }

        @Override
        public List<Inverse> inverses(List<Type> in) {
            var back = new GridScale(grid.scaled(power), -power);
            return List.of(Inverse.exact(0, back, List.of(1)));
        }

        @Override
        public void vjp(Rule rule) {
            rule.add(0, rule.dout(0).mul(Math.scalb(1.0, power)));
        }
    }

    /** The largest size of an element; NaN if one is. */
    record GridLargest() implements ZeroDerivative {
        @Override
        public List<Type> infer(List<Type> in) {
            Grid.half(in.getFirst().dtype());
            return List.of(in.getFirst().with(Shape.scalar()));
        }

        @Override
        public Kernel kernel(List<Type> in) {
            var shape = in.getFirst().shape();
            return new Kernel.Fold(
                    shape,
                    shape.allAxes(),
                    Kernel.Combine.MAX,
                    List.of(View.contiguous(shape)),
                    Scalar.arg(0).abs());
        }

        @Override
        public Set<Trait> traits() {
            return Set.of(Trait.ALONE);
        }
    }

    /**
     * The first operand, the largest size of an element of the second, if that fits the grid. The
     * grid op reads its result: the check is an operand, not an effect, so that it may be
     * recomputed.
     */
    record GridFits(Grid grid, String operation) implements ZeroDerivative {
        @Override
        public List<Type> infer(List<Type> in) {
            return List.of(in.getFirst());
        }

        @Override
        public Kernel kernel(List<Type> in) {
            return new Fits(grid, operation, in.getLast().shape());
        }
    }

    /** Reads the tensor itself only to say which of its elements does not fit. */
    private record Fits(Grid grid, String operation, Shape shape) implements Kernel.Library {
        @Override
        public long workspaceBytes() {
            return 0;
        }

        @Override
        public void run(List<Buffer> inputs, List<Buffer> outputs, Buffer workspace) {
            double largest = inputs.getFirst().get(0);
            var x = inputs.getLast();
            if (!fits(largest, x.dtype())) {
                for (long i = 0; i < x.size(); i++) {
                    if (!fits(Math.abs(x.get(i)), x.dtype())) throw refusal(x, i);
                }
            }
            outputs.getFirst().set(0, largest);
        }

        private boolean fits(double size, DType type) {
            return size / grid.step() < Grid.half(type) - 0.5;
        }

        private GridException refusal(Buffer x, long at) {
            double value = x.get(at);
            var element = operation + ": " + value + " at " + index(at);
            if (Double.isNaN(value) || Double.isInfinite(value)) {
                return new GridException(
                        element
                                + " has no place on a grid, so adding it could not be undone; look"
                                + " for what overflows or divides by zero before it");
            }
            int fewer = 0;
            while (!fits(Math.abs(Math.scalb(value, -fewer)), x.dtype())) fewer++;
            return new GridException(
                    ("%s lies beyond a grid of %s fractional bits in %s, which ends at %s; scale it"
                                    + " down, or take a grid of %s fractional bits less")
                            .formatted(
                                    element, grid.bits(), x.dtype(), grid.reach(x.dtype()), fewer));
        }

        /** The place in row-major order {@code at}, axis by axis. */
        private List<Long> index(long at) {
            var index = new Long[shape.rank()];
            long rest = at;
            for (int d = shape.rank() - 1; d >= 0; d--) {
                index[d] = rest % shape.dim(d);
                rest /= shape.dim(d);
            }
            return List.of(index);
        }
    }
}
