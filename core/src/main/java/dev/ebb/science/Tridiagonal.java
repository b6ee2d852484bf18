package dev.ebb.science;

import dev.ebb.ir.Buffer;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Shape;
import dev.ebb.ir.ShapeException;
import dev.ebb.ir.Type;
import dev.ebb.tensor.Rule;
import dev.ebb.tensor.Tensor;

import java.util.List;

/** Systems of equations with three diagonals, in time proportional to their size. */
public final class Tridiagonal {
    private Tridiagonal() {}

    /**
     * x with {@code lower[i-1] x[i-1] + diagonal[i] x[i] + upper[i] x[i+1] = right[i]}, by
     * elimination with partial pivoting in f64. The last axis of the diagonal and of the right-hand
     * side is the system's size, that of the other two one less; leading axes are a batch and
     * broadcast. Differentiated by all four. A singular matrix is an {@link ArithmeticException}.
     */
    public static Tensor solve(Tensor lower, Tensor diagonal, Tensor upper, Tensor right) {
        Floats.alike("Tridiagonal.solve", lower, diagonal, upper, right);
        int n = diagonal.rank() == 0 ? 0 : diagonal.dim(-1);
        if (n == 0
                || right.rank() == 0
                || right.dim(-1) != n
                || lower.rank() == 0
                || lower.dim(-1) != n - 1
                || upper.rank() == 0
                || upper.dim(-1) != n - 1) {
            throw new ShapeException(
                    "Tridiagonal.solve of diagonals %s, %s, %s and right-hand side %s; their last"
                                    .formatted(
                                            lower.type(),
                                            diagonal.type(),
                                            upper.type(),
                                            right.type())
                            + " axes must be n - 1, n, n - 1 and n, with n at least 1");
        }
        var lead = Shape.scalar();
        for (Tensor t : List.of(lower, diagonal, upper, right)) {
            lead = Shape.broadcast(lead, t.shape().reduce(List.of(t.rank() - 1), false));
        }
        return wide(lower, lead)
                .apply(new Solve(), wide(diagonal, lead), wide(upper, lead), wide(right, lead));
    }

    private static Tensor wide(Tensor t, Shape lead) {
        return t.broadcastTo(lead.append(t.dim(-1)));
    }

    /** Operands: the lower, main and upper diagonals and the right-hand side, of one batch. */
    record Solve() implements EachLine.LineOp {
        @Override
        public String name() {
            return "tridiagonal_solve";
        }

        @Override
        public List<Type> infer(List<Type> in) {
            return List.of(in.get(1));
        }

        @Override
        public Kernel kernel(List<Type> in) {
            var shape = in.get(1).shape();
            int n = shape.dim(shape.rank() - 1);
            int count = Math.toIntExact(in.get(1).size() / n);
            return new EachLine(
                    count,
                    5L * n,
                    (number, from, to, workspace) -> solve(n, number, from, to, workspace));
        }

        /** Workspace: the diagonal, those above it, above that and below it, and the right side. */
        private static void solve(
                int n, int number, List<Buffer> in, List<Buffer> out, Buffer workspace) {
            long whole = (long) number * n;
            long less = (long) number * (n - 1);
            int d = 0;
            int u = n;
            int uu = 2 * n;
            int l = 3 * n;
            int b = 4 * n;
            for (int i = 0; i < n; i++) {
                workspace.set(d + i, in.get(1).get(whole + i));
                workspace.set(b + i, in.get(3).get(whole + i));
                workspace.set(uu + i, 0);
                workspace.set(u + i, i < n - 1 ? in.get(2).get(less + i) : 0);
                workspace.set(l + i, i < n - 1 ? in.get(0).get(less + i) : 0);
            }
            for (int i = 0; i < n - 1; i++) {
                double below = workspace.get(l + i);
                if (Math.abs(below) > Math.abs(workspace.get(d + i))) {
                    swap(workspace, d + i, l + i);
                    swap(workspace, u + i, d + i + 1);
                    swap(workspace, uu + i, u + i + 1);
                    swap(workspace, b + i, b + i + 1);
                    below = workspace.get(l + i);
                }
                double factor = below / pivot(workspace.get(d + i), i, number);
                workspace.set(d + i + 1, workspace.get(d + i + 1) - factor * workspace.get(u + i));
                workspace.set(u + i + 1, workspace.get(u + i + 1) - factor * workspace.get(uu + i));
                workspace.set(b + i + 1, workspace.get(b + i + 1) - factor * workspace.get(b + i));
            }
            for (int i = n - 1; i >= 0; i--) {
                double x = workspace.get(b + i);
                if (i < n - 1) x -= workspace.get(u + i) * workspace.get(b + i + 1);
                if (i < n - 2) x -= workspace.get(uu + i) * workspace.get(b + i + 2);
                workspace.set(b + i, x / pivot(workspace.get(d + i), i, number));
                out.getFirst().set(whole + i, workspace.get(b + i));
            }
        }

        private static double pivot(double x, int row, int number) {
            if (x == 0) {
                throw new ArithmeticException(
                        ("tridiagonal_solve: matrix %s of the batch is singular: pivot %s is 0;"
                                        + " check its diagonals")
                                .formatted(number, row));
            }
            return x;
        }

        @Override
        public void vjp(Rule rule) {
            var x = rule.out(0);
            int n = x.dim(-1);
            var back = rule.in(2).apply(this, rule.in(1), rule.in(0), rule.dout(0));
            rule.add(3, back);
            rule.add(1, back.mul(x).neg());
            rule.add(0, back.slice(-1, 1, n).mul(x.slice(-1, 0, n - 1)).neg());
            rule.add(2, back.slice(-1, 0, n - 1).mul(x.slice(-1, 1, n)).neg());
        }
    }

    static void swap(Buffer workspace, long i, long j) {
        double x = workspace.get(i);
        workspace.set(i, workspace.get(j));
        workspace.set(j, x);
    }
}
