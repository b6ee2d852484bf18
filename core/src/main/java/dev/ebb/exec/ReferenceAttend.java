package dev.ebb.exec;

import dev.ebb.ir.Buffer;
import dev.ebb.ir.Kernel;

import java.util.List;

/** Attention by its definition, one query at a time. */
final class ReferenceAttend {
    private final Kernel.Heads h;
    private final Buffer q;
    private final Buffer k;
    private final Buffer v;
    private final List<Buffer> mask;

    private ReferenceAttend(Kernel.Heads h, List<Buffer> in) {
        this.h = h;
        q = in.get(0);
        k = in.get(1);
        v = in.get(2);
        mask = in.subList(3, 3 + h.mask().size());
    }

    /**
     * Where the row of one head begins, in a tensor of {@code heads} heads, {@code length} rows,
     * {@code width} wide.
     */
    private static long row(long batch, long head, long heads, long row, long length, long width) {
        return ((batch * heads + head) * length + row) * width;
    }

    private int visible(int query) {
        return h.causal()
                ? Math.max(0, Math.min(h.keys(), query + h.keys() - h.queries() + 1))
                : h.keys();
    }

    private double[] scores(int b, int n, int i) {
        int group = n / (h.heads() / h.keyHeads());
        var scores = new double[visible(i)];
        long at = row(b, n, h.heads(), i, h.queries(), h.width());
        for (int j = 0; j < scores.length; j++) {
            long key = row(b, group, h.keyHeads(), j, h.keys(), h.width());
            double dot = 0;
            for (int d = 0; d < h.width(); d++) dot += q.get(at + d) * k.get(key + d);
            scores[j] = dot * h.scale();
            for (int m = 0; m < mask.size(); m++) {
                var view = h.mask().get(m);
                long where =
                        view.offset()
                                + b * view.stride(0)
                                + n * view.stride(1)
                                + i * view.stride(2)
                                + j * view.stride(3);
                scores[j] += mask.get(m).get(where);
            }
        }
        return scores;
    }

    static void forward(Kernel.Heads h, List<Buffer> in, List<Buffer> out) {
        var a = new ReferenceAttend(h, in);
        for (int b = 0; b < h.batch(); b++) {
            for (int n = 0; n < h.heads(); n++) {
                for (int i = 0; i < h.queries(); i++) a.query(b, n, i, out.get(0), out.get(1));
            }
        }
    }

    private void query(int b, int n, int i, Buffer out, Buffer logsum) {
        int group = n / (h.heads() / h.keyHeads());
        var s = scores(b, n, i);
        double max = Double.NEGATIVE_INFINITY;
        for (double x : s) max = Math.max(max, x);
        double sum = 0;
        for (double x : s) sum += max == Double.NEGATIVE_INFINITY ? 0 : StrictMath.exp(x - max);
        logsum.set(
                row(b, n, h.heads(), i, h.queries(), 1),
                sum == 0 ? Double.NEGATIVE_INFINITY : max + StrictMath.log(sum));
        long at = row(b, n, h.heads(), i, h.queries(), h.valueWidth());
        for (int d = 0; d < h.valueWidth(); d++) {
            double dot = 0;
            for (int j = 0; j < s.length && sum > 0; j++) {
                dot +=
                        StrictMath.exp(s[j] - max)
                                / sum
                                * v.get(
                                        row(b, group, h.keyHeads(), j, h.keys(), h.valueWidth())
                                                + d);
            }
            out.set(at + d, dot);
        }
    }

    static void backward(Kernel.Heads h, List<Buffer> in, List<Buffer> out) {
        var a = new ReferenceAttend(h, in);
        var rest = in.subList(3 + h.mask().size(), in.size());
        var dq = new double[(int) out.get(0).size()];
        var dk = new double[(int) out.get(1).size()];
        var dv = new double[(int) out.get(2).size()];
        for (int b = 0; b < h.batch(); b++) {
            for (int n = 0; n < h.heads(); n++) {
                for (int i = 0; i < h.queries(); i++) a.pull(b, n, i, rest, dq, dk, dv);
            }
        }
        for (int i = 0; i < dq.length; i++) out.get(0).set(i, dq[i]);
        for (int i = 0; i < dk.length; i++) out.get(1).set(i, dk[i]);
        for (int i = 0; i < dv.length; i++) out.get(2).set(i, dv[i]);
    }

    private void pull(
            int b, int n, int i, List<Buffer> rest, double[] dq, double[] dk, double[] dv) {
        int group = n / (h.heads() / h.keyHeads());
        var out = rest.get(0);
        double logsum = rest.get(1).get(row(b, n, h.heads(), i, h.queries(), 1));
        var dout = rest.get(2);
        if (logsum == Double.NEGATIVE_INFINITY) return;
        var s = scores(b, n, i);
        long at = row(b, n, h.heads(), i, h.queries(), h.valueWidth());
        double inner = 0;
        for (int d = 0; d < h.valueWidth(); d++) inner += dout.get(at + d) * out.get(at + d);
        long query = row(b, n, h.heads(), i, h.queries(), h.width());
        for (int j = 0; j < s.length; j++) {
            double p = StrictMath.exp(s[j] - logsum);
            long value = row(b, group, h.keyHeads(), j, h.keys(), h.valueWidth());
            double dp = 0;
            for (int d = 0; d < h.valueWidth(); d++) {
                dv[(int) value + d] += p * dout.get(at + d);
                dp += dout.get(at + d) * v.get(value + d);
            }
            double ds = p * (dp - inner) * h.scale();
            long key = row(b, group, h.keyHeads(), j, h.keys(), h.width());
            for (int d = 0; d < h.width(); d++) {
                dq[(int) query + d] += ds * k.get(key + d);
                dk[(int) key + d] += ds * q.get(query + d);
            }
        }
    }
}
