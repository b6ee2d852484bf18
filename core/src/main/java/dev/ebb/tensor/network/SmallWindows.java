package dev.ebb.tensor.network;

import dev.ebb.ir.DType;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Scalar;
import dev.ebb.ir.Scalar.Fn2;
import dev.ebb.ir.ShapeException;
import dev.ebb.ir.Type;
import dev.ebb.ir.View;
import dev.ebb.tensor.Differentiable;
import dev.ebb.tensor.Rule;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Max pooling over small windows as elementwise kernels: each element of a window is an operand of
 * its own, the same tensor read through another view. So it runs on every device, is fused with the
 * nodes before and after it, and can be recorded.
 */
final class SmallWindows {
    /** The most elements of a window, each of which is an operand of the kernel. */
    static final int MOST = 16;

    private SmallWindows() {}

    static boolean fits(Pool p) {
        return p.kernel().stream().reduce(1, Math::multiplyExact) <= MOST;
    }

    static Tensor max(Tensor x, Pool p) {
        var g = PoolGeometry.of(x, p);
        var whole = g.padded(x, Double.NEGATIVE_INFINITY);
        return Tensors.apply(new Max(g), Collections.nCopies(g.taps().size(), whole)).getFirst();
    }

    /**
     * Adds the element of each window to the position that its route names; the sums have the
     * padded shape.
     */
    private static Tensor unpool(PoolGeometry g, Tensor route, Tensor elements) {
        int n = g.covers().size();
        var in = new ArrayList<>(Collections.nCopies(n, g.surrounded(route)));
        in.addAll(Collections.nCopies(n, g.surrounded(elements)));
        return Tensors.apply(new Unpool(g), in).getFirst().reshape(g.padded());
    }

    /** Reads for each window the element that its route names. */
    private static Tensor follow(PoolGeometry g, Tensor route, Tensor padded) {
        var in = new ArrayList<>(List.of(route));
        in.addAll(Collections.nCopies(g.taps().size(), padded));
        return Tensors.apply(new Follow(g), in).getFirst();
    }

    /** Outputs: the largest element of each window, and its place in the window in one byte. */
    private record Max(PoolGeometry g) implements Differentiable, MaxPoolOp {
        @Override
        public Pool pool() {
            return g.pool();
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
            return List.of(x.with(g.pooled()), new Type(DType.U8, g.pooled()));
        }

        @Override
        public Kernel kernel(List<Type> in) {
            var taps = g.taps();
            int last = taps.size() - 1;
            var largest = Scalar.arg(0);
            for (int t = 1; t <= last; t++) largest = largest.max(Scalar.arg(t));
            // the first of the largest; the first NaN, if there is one
            var element = Scalar.arg(last);
            Scalar route = PoolGeometry.integer(last);
            for (int t = last - 1; t >= 0; t--) {
                var x = Scalar.arg(t);
                var isLargest = x.eq(largest).apply(Fn2.OR, x.apply(Fn2.NE, x));
                var found = g.isReal(taps.get(t)).and(isLargest);
                element = found.select(x, element);
                route = found.select(PoolGeometry.integer(t), route);
            }
            return new Kernel.Map(
                    g.pooled(),
                    taps.stream().map(g::tap).toList(),
                    List.of(element, new Scalar.Cast(DType.U8, route)));
        }

        @Override
        public void vjp(Rule rule) {
            rule.add(0, unpool(g, rule.out(1), rule.dout(0)));
        }
    }

    /**
     * Operands: the routes, once for each window that may contain an element, then the values to
     * add.
     */
    private record Unpool(PoolGeometry g) implements Differentiable {
        @Override
        public List<Type> infer(List<Type> in) {
            return List.of(in.getLast().with(g.phases()));
        }

        @Override
        public Kernel kernel(List<Type> in) {
            var covers = g.covers();
            int n = covers.size();
            var type = in.getLast().dtype().compute();
            var views = new ArrayList<View>();
            for (int i = 0; i < 2 * n; i++) views.add(g.cover(covers.get(i % n)));
            Scalar zero = new Scalar.Lit(type, 0);
            Scalar sum = zero;
            for (int i = 0; i < n; i++) {
                var chosen = g.isChosen(covers.get(i), Scalar.arg(i));
                sum = sum.add(chosen.select(Scalar.arg(n + i), zero));
            }
            return Kernel.Map.of(g.phases(), views, sum);
        }

        @Override
        public void vjp(Rule rule) {
            var route = g.windows(rule.in(0));
            var read = follow(g, route, rule.dout(0).reshape(g.padded()));
            rule.add(g.covers().size(), g.surrounded(read));
        }
    }

    /** Operands: routes, then the padded tensor once for each element of a window. */
    private record Follow(PoolGeometry g) implements Differentiable {
        @Override
        public List<Type> infer(List<Type> in) {
            return List.of(in.getLast().with(g.pooled()));
        }

        @Override
        public Kernel kernel(List<Type> in) {
            var taps = g.taps();
            var views = new ArrayList<>(List.of(View.contiguous(g.pooled())));
            taps.forEach(t -> views.add(g.tap(t)));
            var element = Scalar.arg(taps.size());
            for (int t = taps.size() - 2; t >= 0; t--) {
                var here = Scalar.arg(0).eq(PoolGeometry.integer(t));
                element = here.select(Scalar.arg(1 + t), element);
            }
            return Kernel.Map.of(g.pooled(), views, element);
        }

        @Override
        public void vjp(Rule rule) {
            rule.add(1, unpool(g, rule.in(0), rule.dout(0)));
        }
    }
}
