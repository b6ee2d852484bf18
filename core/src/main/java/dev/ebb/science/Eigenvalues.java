package dev.ebb.science;

import dev.ebb.ir.Buffer;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Shape;
import dev.ebb.ir.ShapeException;
import dev.ebb.ir.Trait;
import dev.ebb.ir.Type;
import dev.ebb.tensor.Rule;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;

import java.util.List;
import java.util.Set;

/**
 * Eigenvalues of square matrices that need not be symmetric, over the last two axes; leading axes
 * are a batch. In f64, by the shifted QR algorithm; on a card's host.
 */
public final class Eigenvalues {
    private Eigenvalues() {}

    /**
     * The eigenvalues, by ascending real part; pairs of conjugates follow each other, the one with
     * the negative imaginary part first. Differentiated where they are simple: near a repeated one
     * the derivative is large and at it without meaning. It is made of eigenvectors, which are
     * found by inverse iteration.
     */
    public static Complex of(Tensor a) {
        Floats.require("Eigenvalues.of", a);
        if (a.rank() < 2 || a.dim(-1) != a.dim(-2)) {
            throw new ShapeException("Eigenvalues.of needs square matrices, this is " + a.type());
        }
        var found = a.applyAll(new Values());
        return new Complex(found.get(0), found.get(1));
    }

    private static int size(Type a) {
        return a.shape().dim(a.shape().rank() - 1);
    }

    private static int count(Type a) {
        int n = size(a);
        return n == 0 ? 0 : Math.toIntExact(a.size() / ((long) n * n));
    }

    private static Type line(Type a) {
        return a.with(new Shape(a.shape().dims().subList(0, a.shape().rank() - 1)));
    }

    /** Outputs: real and imaginary parts. */
    record Values() implements EachLine.LineOp {
        @Override
        public String name() {
            return "eigenvalues";
        }

        @Override
        public Set<Trait> traits() {
            return Set.of(Trait.EXPENSIVE);
        }

        @Override
        public List<Type> infer(List<Type> in) {
            return List.of(line(in.getFirst()), line(in.getFirst()));
        }

        @Override
        public Kernel kernel(List<Type> in) {
            int n = size(in.getFirst());
            return new EachLine(
                    count(in.getFirst()),
                    (long) n * n + 2L * n,
                    (number, from, to, workspace) ->
                            run(n, number, from.getFirst(), to, workspace));
        }

        private static void run(int n, int number, Buffer a, List<Buffer> out, Buffer workspace) {
            new HessenbergQr(n, workspace).run(number, a);
            for (int i = 0; i < n; i++) {
                out.get(0).set((long) number * n + i, workspace.get((long) n * n + i));
                out.get(1).set((long) number * n + i, workspace.get((long) n * n + n + i));
            }
        }

        @Override
        public void vjp(Rule rule) {
            var a = rule.in(0);
            var vectors = vectors(a, rule.out(0), rule.out(1));
            var inner = new Complex(rule.dout(0).diag(), rule.dout(1).diag());
            rule.add(0, back(vectors, inner));
        }
    }

    private static Complex vectors(Tensor a, Tensor re, Tensor im) {
        var found = a.applyAll(new Vectors(), re, im);
        return new Complex(found.get(0), found.get(1));
    }

    /** The real part of {@code V^-H inner V^H}. */
    private static Tensor back(Complex v, Complex inner) {
        int n = v.re().dim(-1);
        var re = v.re().transpose();
        var im = v.im().transpose();
        // the complex system V^H y = inner as a real one of twice the size
        var top = Tensors.concat(List.of(re, im), -1);
        var bottom = Tensors.concat(List.of(im.neg(), re), -1);
        var right = Tensors.concat(List.of(inner.re(), inner.im()), -2);
        var y = Tensors.concat(List.of(top, bottom), -2).solve(right);
        return y.slice(-2, 0, n).matmul(re).add(y.slice(-2, n, 2 * n).matmul(im));
    }

    /**
     * Eigenvectors in columns, of length one, for the matrix and its eigenvalues; outputs: real and
     * imaginary parts. Its derivative leaves out how a vector's own length and angle change, which
     * cancel in the derivatives of eigenvalues, all that it is used for.
     */
    record Vectors() implements EachLine.LineOp {
        @Override
        public String name() {
            return "eigenvectors";
        }

        @Override
        public Set<Trait> traits() {
            return Set.of(Trait.EXPENSIVE);
        }

        @Override
        public List<Type> infer(List<Type> in) {
            return List.of(in.getFirst(), in.getFirst());
        }

        @Override
        public Kernel kernel(List<Type> in) {
            int n = size(in.getFirst());
            return new EachLine(
                    count(in.getFirst()),
                    InverseIteration.doubles(n),
                    (number, from, to, workspace) ->
                            new InverseIteration(n, workspace).run(number, from, to));
        }

        @Override
        public void vjp(Rule rule) {
            var v = new Complex(rule.out(0), rule.out(1));
            var values = new Complex(rule.in(1), rule.in(2));
            var turned = v.adjoint().matmul(new Complex(rule.dout(0), rule.dout(1)));
            rule.add(0, back(v, turned.mul(reciprocalGaps(values).conjugate())));
        }
    }

    /** {@code 1 / (x_j - x_i)} off the diagonal, zero on it. */
    private static Complex reciprocalGaps(Complex x) {
        var re = x.re().unsqueeze(-2).sub(x.re().unsqueeze(-1));
        var im = x.im().unsqueeze(-2).sub(x.im().unsqueeze(-1));
        var eye = Tensors.eye(x.re().dtype(), x.re().dim(-1));
        var size = re.square().add(im.square()).add(eye);
        return new Complex(re.div(size), im.neg().div(size));
    }
}
