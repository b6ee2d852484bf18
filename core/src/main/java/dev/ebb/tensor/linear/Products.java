package dev.ebb.tensor.linear;

import dev.ebb.ir.Kernel;
import dev.ebb.ir.Scalar;
import dev.ebb.ir.Shape;
import dev.ebb.ir.ShapeException;
import dev.ebb.ir.Type;
import dev.ebb.ir.View;
import dev.ebb.tensor.Differentiable;
import dev.ebb.tensor.Rule;

import java.util.List;

/** Matrix products. */
final class Products {
    private Products() {}

    /**
     * {@code [..., m, k] x [..., k, n] -> [..., m, n]}: leading axes broadcast; both operands have
     * rank two or more.
     */
    record MatMul() implements Differentiable {
        @Override
        public List<Type> infer(List<Type> in) {
            Type a = in.getFirst();
            Type b = in.getLast();
            if (a.dtype() != b.dtype()) {
                throw new ShapeException(
                        "matmul of %s and %s: element types differ; cast one of them"
                                .formatted(a, b));
            }
            int k = a.shape().dim(a.shape().rank() - 1);
            int other = b.shape().dim(b.shape().rank() - 2);
            if (k != other) {
                throw new ShapeException(
                        ("matmul: %s x %s: the last axis of the first has %s elements, the second"
                             + " to last axis of the second has %s; transpose one of them?")
                                .formatted(a, b, k, other));
            }
            int rows = a.shape().dim(a.shape().rank() - 2);
            int columns = b.shape().dim(b.shape().rank() - 1);
            return List.of(a.with(batch(a.shape(), b.shape()).append(rows, columns)));
        }

        private static Shape batch(Shape a, Shape b) {
            return Shape.broadcast(Factorisation.lead(a), Factorisation.lead(b));
        }

        @Override
        public Kernel kernel(List<Type> in) {
            Shape a = in.getFirst().shape();
            Shape b = in.getLast().shape();
            int m = a.dim(a.rank() - 2);
            int k = a.dim(a.rank() - 1);
            int n = b.dim(b.rank() - 1);
            // a batch of products with one right-hand matrix is one product with more rows
            if (b.rank() == 2) {
                int rows = Math.toIntExact(Factorisation.lead(a).size() * m);
                return contract(Shape.scalar(), rows, n, k, Shape.of(rows, k), b);
            }
            var batch = batch(a, b);
            return contract(batch, m, n, k, a, b);
        }

        private static Kernel contract(Shape batch, int m, int n, int k, Shape a, Shape b) {
            return new Kernel.Contract(
                    batch,
                    m,
                    n,
                    k,
                    over(a, batch, m, k),
                    over(b, batch, k, n),
                    List.of(),
                    Scalar.arg(0));
        }

        private static View over(Shape x, Shape batch, int rows, int columns) {
            return View.broadcast(x, batch.append(rows, columns));
        }

        @Override
        public void vjp(Rule rule) {
            var a = rule.in(0);
            var b = rule.in(1);
            var dc = rule.dout(0);
            if (rule.wants(0)) rule.add(0, dc.matmul(b.transpose()));
            if (!rule.wants(1)) return;
            if (b.rank() == 2 && a.rank() > 2) {
                // the sum over the batch belongs to the product
                int rows = Math.toIntExact(Factorisation.lead(a.shape()).size() * a.dim(-2));
                var flat = a.reshape(rows, a.dim(-1));
                rule.add(1, flat.transpose().matmul(dc.reshape(rows, dc.dim(-1))));
            } else {
                rule.add(1, a.transpose().matmul(dc));
            }
        }
    }
}
