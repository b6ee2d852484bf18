package dev.ebb.tensor.network;

import dev.ebb.ir.AttentionShape;
import dev.ebb.ir.DType;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Shape;
import dev.ebb.ir.ShapeException;
import dev.ebb.ir.Type;
import dev.ebb.ir.View;
import dev.ebb.tensor.Differentiable;
import dev.ebb.tensor.Rule;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;

import java.util.ArrayList;
import java.util.List;

/**
 * Attention whose matrix of scores is never in memory: the forward kernel keeps one number a query,
 * the log of its sum of exponentials, from which the backward kernel rebuilds each tile (Dao et
 * al., "FlashAttention", 2022). A derivative by the mask, which is as large as the scores, and
 * derivatives of the backward kernel, which only second derivatives need, are plain ops and do form
 * the matrix.
 */
final class FlashAttention {
    private FlashAttention() {}

    static Tensor of(Tensor q, Tensor k, Tensor v, Attention options) {
        if (q.rank() != 4 || k.rank() != 4 || v.rank() != 4) throw misfit(q, k, v);
        boolean fits =
                q.dim(0) == k.dim(0)
                        && q.dim(3) == k.dim(3)
                        && k.shape().with(3, 1).equals(v.shape().with(3, 1))
                        && k.dim(1) > 0
                        && q.dim(1) % k.dim(1) == 0;
        if (!fits) throw misfit(q, k, v);
        double scale = options.scale().orElse(1 / Math.sqrt(q.dim(3)));
        var scores = Shape.of(q.dim(0), q.dim(1), q.dim(2), k.dim(2));
        var operands = new ArrayList<>(List.of(k, v));
        for (var mask : options.masks()) {
            if (mask.dtype() != q.dtype()
                    || mask.rank() > 4
                    || !Shape.broadcast(mask.shape(), scores).equals(scores)) {
                throw new ShapeException(
                        ("attention: a mask of %s cannot be added to scores of %s; make one from"
                                        + " truth values by where(seen, 0, -infinity)")
                                .formatted(mask.type(), q.type().with(scores)));
            }
            operands.add(mask);
        }
        return q.apply(new Attend(options.causal(), scale), operands.toArray(Tensor[]::new));
    }

    private static ShapeException misfit(Tensor q, Tensor k, Tensor v) {
        return new ShapeException(
                ("attention: queries %s, keys %s and values %s do not fit: they are [batch, heads,"
                     + " time, width], with one batch, one width of queries and keys, as many"
                     + " values as keys, and a number of query heads that is a multiple of the key"
                     + " heads")
                        .formatted(q.type(), k.type(), v.type()));
    }

    private static AttentionShape heads(List<Type> in, int masks, boolean causal, double scale) {
        Shape q = in.get(0).shape();
        Shape k = in.get(1).shape();
        Shape v = in.get(2).shape();
        var scores = Shape.of(q.dim(0), q.dim(1), q.dim(2), k.dim(2));
        var views =
                in.subList(3, 3 + masks).stream()
                        .map(m -> View.broadcast(m.shape(), scores))
                        .toList();
        return new AttentionShape(
                q.dim(0), q.dim(1), k.dim(1), q.dim(2), k.dim(2), q.dim(3), v.dim(3), causal, scale,
                views);
    }

    /** Operands q, k, v, (mask); results out and logsum. */
    private record Attend(boolean causal, double scale) implements Differentiable {
        @Override
        public String name() {
            return "attention";
        }

        @Override
        public List<Type> infer(List<Type> in) {
            Type q = in.get(0);
            for (Type t : in) {
                if (t.dtype() != q.dtype() || !q.dtype().isFloat()) {
                    throw new ShapeException(
                            "attention of " + in + ": all must be floats of one type; cast them");
                }
            }
            int width = in.get(2).shape().dim(3);
            var rows = q.shape().reduce(List.of(3), false);
            return List.of(q.with(q.shape().with(3, width)), new Type(q.dtype().compute(), rows));
        }

        @Override
        public Kernel kernel(List<Type> in) {
            return new Kernel.Attend(heads(in, in.size() - 3, causal, scale));
        }

        @Override
        public void vjp(Rule rule) {
            int masks = rule.operands() - 3;
            var rest = new ArrayList<Tensor>();
            for (int i = 1; i < 3 + masks; i++) rest.add(rule.in(i));
            rest.addAll(List.of(rule.out(0), rule.dout(0), rule.out(1)));
            var d =
                    rule.in(0)
                            .applyAll(
                                    new AttendGrad(causal, scale, masks),
                                    rest.toArray(Tensor[]::new));
            for (int i = 0; i < 3; i++) rule.add(i, d.get(i));
            for (int i = 3; i < 3 + masks; i++) {
                if (rule.wants(i)) {
                    var scores = Scores.of(rule, causal, scale, masks);
                    var g = scores.split(rule.dout(0));
                    rule.add(i, scores.joined(scores.pulled(g.matmul(scores.v().transpose()))));
                }
            }
        }
    }

    /** Operands q, k, v, (mask), out, dout, logsum; results dq, dk, dv. */
    private record AttendGrad(boolean causal, double scale, int masks) implements Differentiable {
        @Override
        public String name() {
            return "attention_grad";
        }

        @Override
        public List<Type> infer(List<Type> in) {
            return in.subList(0, 3);
        }

        @Override
        public Kernel kernel(List<Type> in) {
            return new Kernel.AttendGrad(heads(in, masks, causal, scale));
        }

        /**
         * With P the probabilities, g = dout, dP = g v', and a, b, c the cotangents of dq, dk, dv,
         * the kernel's results enter as L = sum(P (W - w) dP) + sum(P (g c')), where W = scale (a
         * k' + q b') and w holds the row sums of P W. All below are L's derivatives. The operands
         * out and logsum are functions of q, k and v, through which L is differentiated instead.
         */
        @Override
        public void vjp(Rule rule) {
            var s = Scores.of(rule, causal, scale, masks);
            var p = s.p();
            var g = s.split(rule.in(4 + masks));
            var a = s.split(rule.dout(0));
            var b = s.shared(rule.dout(1));
            var c = s.shared(rule.dout(2));
            var dp = g.matmul(s.v().transpose());
            var w = a.matmul(s.k().transpose()).add(s.q().matmul(b.transpose())).mul(scale);
            var centred = w.sub(p.mul(w).sum(List.of(4), true));
            var r = p.mul(dp).sum(List.of(4), true);
            var ds = p.mul(dp.sub(r)).mul(scale);
            var e = dp.mul(centred).sub(w.mul(r)).add(g.matmul(c.transpose()));
            var pulled = s.pulled(e);
            var again = pulled.mul(scale);
            rule.add(0, s.joined(ds.matmul(b).add(again.matmul(s.k()))));
            rule.add(1, s.pooled(ds.transpose().matmul(a).add(again.transpose().matmul(s.q()))));
            rule.add(2, s.pooled(p.mul(centred).transpose().matmul(g)));
            if (masks > 0 && rule.wants(3)) rule.add(3, s.joined(pulled));
            rule.add(4 + masks, s.joined(p.mul(centred).matmul(s.v()).add(p.matmul(c))));
        }
    }

    /**
     * The scores in memory: heads are split into [key heads, heads a key head], and all tensors
     * have rank five.
     */
    private record Scores(Tensor q, Tensor k, Tensor v, Tensor p) {

        static Scores of(Rule rule, boolean causal, double scale, int masks) {
            var bare = new Scores(rule.in(0), rule.in(1), rule.in(2), rule.in(0));
            var q = bare.split(rule.in(0));
            var k = bare.shared(rule.in(1));
            var v = bare.shared(rule.in(2));
            var s = q.matmul(k.transpose()).mul(scale);
            int queries = q.dim(3);
            int keys = k.dim(3);
            var full = Shape.of(q.dim(0), q.dim(1) * q.dim(2), queries, keys);
            for (int i = 3; i < 3 + masks; i++) {
                s = s.add(rule.in(i).broadcastTo(full).reshape(s.shape()));
            }
            var least = s.literal(Double.NEGATIVE_INFINITY);
            if (causal) {
                var seen = Tensors.ones(DType.BOOL, Shape.of(queries, keys)).tril(keys - queries);
                s = Tensors.where(seen, s, least);
            }
            if (keys == 0) return new Scores(q, k, v, s);
            // a query that sees nothing gets nothing
            var sees = s.amax(List.of(4), true).gt(least);
            var zero = s.literal(0);
            var p = Tensors.where(sees, Tensors.where(sees, s, zero).softmax(-1), zero);
            return new Scores(q, k, v, p);
        }

        /** Query heads by key head. */
        Tensor split(Tensor t) {
            int keyHeads = k.dim(1);
            return t.reshape(t.dim(0), keyHeads, t.dim(1) / keyHeads, t.dim(2), t.dim(3));
        }

        /** Keys or values, the same for all query heads of their group. */
        Tensor shared(Tensor t) {
            return t.reshape(t.dim(0), t.dim(1), 1, t.dim(2), t.dim(3));
        }

        Tensor joined(Tensor t) {
            return t.reshape(t.dim(0), t.dim(1) * t.dim(2), t.dim(3), t.dim(4));
        }

        /** The sum over the query heads of each key head. */
        Tensor pooled(Tensor t) {
            return t.sum(2);
        }

        /** The cotangent of the scores, given that of the probabilities. */
        Tensor pulled(Tensor dp) {
            return p.mul(dp.sub(p.mul(dp).sum(List.of(4), true)));
        }
    }
}
