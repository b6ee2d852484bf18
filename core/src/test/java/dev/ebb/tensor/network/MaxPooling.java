package dev.ebb.tensor.network;

import dev.ebb.ir.Buffer;
import dev.ebb.ir.DType;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.ShapeException;
import dev.ebb.ir.Type;
import dev.ebb.tensor.Differentiable;
import dev.ebb.tensor.Rule;

import java.util.List;

/**
 * Max pooling as plain loops over windows of up to 256 elements, for comparison: the largest
 * element of each window, and the two moves its derivatives are made of. What they share is the
 * route of each window, one byte.
 */
final class MaxPooling {
    private MaxPooling() {}

    /** Plain loops over windows; nothing but operands and results. */
    private interface Loops extends Kernel.Library {
        void run(List<Buffer> in, List<Buffer> out);

        @Override
        default long workspaceBytes() {
            return 0;
        }

        @Override
        default void run(List<Buffer> in, List<Buffer> out, Buffer workspace) {
            run(in, out);
        }
    }

    /** Outputs: the largest element of each window, and its place in the window in one byte. */
    record Max(Windows windows) implements Differentiable, MaxPoolOp {
        @Override
        public Pool pool() {
            return windows.pool();
        }

        @Override
        public String name() {
            return "max_pool";
        }

        @Override
        public List<Type> infer(List<Type> in) {
            var x = in.getFirst();
            if (!x.dtype().isFloat()) {
                throw new ShapeException("max_pool does not take " + x + "; cast it to f32");
            }
            return List.of(x.with(windows.pooled()), new Type(DType.U8, windows.pooled()));
        }

        @Override
        public Kernel kernel(List<Type> in) {
            return (Loops)
                    (from, to) ->
                            windows.visit(
                                    (i, plane, d, h, w) -> {
                                        int route =
                                                windows.largest(from.getFirst(), plane, d, h, w);
                                        long at = windows.element(plane, d, h, w, route);
                                        to.get(0).set(i, from.getFirst().get(at));
                                        to.get(1).setLong(i, route);
                                    });
        }

        @Override
        public void vjp(Rule rule) {
            rule.add(0, rule.out(1).apply(new Unpool(windows), rule.dout(0)));
        }
    }

    /** Adds each window's element where its route leads. */
    private record Unpool(Windows windows) implements Differentiable {
        @Override
        public List<Type> infer(List<Type> in) {
            return List.of(in.getLast().with(windows.whole()));
        }

        @Override
        public Kernel kernel(List<Type> in) {
            return new Adding(windows, in.getLast().dtype());
        }

        @Override
        public void vjp(Rule rule) {
            rule.add(1, rule.in(0).apply(new Follow(windows), rule.dout(0)));
        }
    }

    /** The sums of {@link Unpool}, in f32 at least: they wait in the workspace where they must. */
    private record Adding(Windows windows, DType dtype) implements Kernel.Library {
        private boolean isNarrow() {
            return dtype.compute() != dtype;
        }

        @Override
        public long workspaceBytes() {
            return isNarrow() ? dtype.compute().bytes(windows.whole().size()) : 0;
        }

        @Override
        public void run(List<Buffer> in, List<Buffer> out, Buffer workspace) {
            var dx = out.getFirst();
            var sums =
                    isNarrow() ? new Buffer(dtype.compute(), dx.size(), workspace.segment()) : dx;
            for (long i = 0; i < sums.size(); i++) sums.set(i, 0);
            windows.visit(
                    (i, plane, d, h, w) -> {
                        int route = (int) in.get(0).getLong(i);
                        long at = windows.element(plane, d, h, w, route);
                        sums.set(at, sums.get(at) + in.get(1).get(i));
                    });
            if (isNarrow()) for (long i = 0; i < dx.size(); i++) dx.set(i, sums.get(i));
        }
    }

    /** Reads for each window the element to which its route leads. */
    private record Follow(Windows windows) implements Differentiable {
        @Override
        public List<Type> infer(List<Type> in) {
            return List.of(in.getLast().with(windows.pooled()));
        }

        @Override
        public Kernel kernel(List<Type> in) {
            return (Loops)
                    (from, to) ->
                            windows.visit(
                                    (i, plane, d, h, w) -> {
                                        int route = (int) from.get(0).getLong(i);
                                        long at = windows.element(plane, d, h, w, route);
                                        to.getFirst().set(i, from.get(1).get(at));
                                    });
        }

        @Override
        public void vjp(Rule rule) {
            rule.add(1, rule.in(0).apply(new Unpool(windows), rule.dout(0)));
        }
    }
}
