package dev.ebb.exec.reference;

import dev.ebb.ir.AttentionShape;
import dev.ebb.ir.Buffer;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.View;

import java.util.List;

/** Attention by its definition, one query at a time. */
final class ReferenceAttend {
    private final AttentionShape h;
    private final double[] q;
    private final double[] k;
    private final double[] v;
    private final List<Buffer> mask;
    private final List<View> views;

    /** The views begin with those of q, k and v. */
    private ReferenceAttend(AttentionShape h, List<View> views, List<Buffer> in) {
        this.h = h;
        this.views = views;
        q = ReferenceLoops.numbers(in.get(0));
        k = ReferenceLoops.numbers(in.get(1));
        v = ReferenceLoops.numbers(in.get(2));
        mask = in.subList(3, 3 + h.mask().size());
    }

    /** The offset of a row of one head. */
    private static long row(View view, long batch, long head, long row) {
        return view.offset()
                + batch * view.stride(0)
                + head * view.stride(1)
                + row * view.stride(2);
    }

    private long number(int b, int n, int i) {
        return ((long) b * h.heads() + n) * h.queries() + i;
    }

    private int visible(int query) {
        return h.causal()
                ? Math.max(0, Math.min(h.keys(), query + h.keys() - h.queries() + 1))
                : h.keys();
    }

    private double[] scores(int b, int n, int i) {
        int group = n / (h.heads() / h.keyHeads());
        var scores = new double[visible(i)];
        long at = row(views.get(0), b, n, i);
        for (int j = 0; j < scores.length; j++) {
            long key = row(views.get(1), b, group, j);
            double dot = 0;
            for (int d = 0; d < h.width(); d++) dot += q[(int) at + d] * k[(int) key + d];
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

    static void forward(Kernel.Attend k, List<Buffer> in, List<Buffer> out) {
        var h = k.heads();
        var a = new ReferenceAttend(h, k.operands(), in);
        for (int b = 0; b < h.batch(); b++) {
            for (int n = 0; n < h.heads(); n++) {
                for (int i = 0; i < h.queries(); i++) a.query(b, n, i, k.out(), out);
            }
        }
    }

    private void query(int b, int n, int i, View place, List<Buffer> out) {
        int group = n / (h.heads() / h.keyHeads());
        var s = scores(b, n, i);
        double max = Double.NEGATIVE_INFINITY;
        for (double x : s) max = Math.max(max, x);
        double sum = 0;
        var weights = new double[s.length];
        for (int j = 0; j < s.length && max != Double.NEGATIVE_INFINITY; j++) {
            weights[j] = StrictMath.exp(s[j] - max);
            sum += weights[j];
        }
        out.get(1)
                .set(
                        number(b, n, i),
                        sum == 0 ? Double.NEGATIVE_INFINITY : max + StrictMath.log(sum));
        long at = row(place, b, n, i);
        for (int d = 0; d < h.valueWidth(); d++) {
            double dot = 0;
            for (int j = 0; j < s.length && sum > 0; j++) {
                dot += weights[j] / sum * v[(int) row(views.get(2), b, group, j) + d];
            }
            out.get(0).set(at + d, dot);
        }
    }

    static void backward(Kernel.AttendGrad k, List<Buffer> in, List<Buffer> out) {
        var h = k.heads();
        var a = new ReferenceAttend(h, k.operands(), in);
        var rest = in.subList(3 + h.mask().size(), in.size());
        var numbers = rest.stream().map(ReferenceLoops::numbers).toList();
        var sums = out.stream().map(o -> new double[(int) o.size()]).toList();
        var places = k.results();
        var to = places.stream().map(p -> sums.get(p.output())).toList();
        for (int b = 0; b < h.batch(); b++) {
            for (int n = 0; n < h.heads(); n++) {
                for (int i = 0; i < h.queries(); i++) a.pull(b, n, i, numbers, places, to);
            }
        }
        for (int o = 0; o < out.size(); o++) {
            for (int i = 0; i < sums.get(o).length; i++) out.get(o).set(i, sums.get(o)[i]);
        }
    }

    private void pull(
            int b,
            int n,
            int i,
            List<double[]> rest,
            List<Kernel.Place> places,
            List<double[]> to) {
        int group = n / (h.heads() / h.keyHeads());
        var out = rest.get(0);
        var dout = rest.get(1);
        var dq = to.get(0);
        var dk = to.get(1);
        var dv = to.get(2);
        double logsum = rest.get(2)[(int) number(b, n, i)];
        if (logsum == Double.NEGATIVE_INFINITY) return;
        var s = scores(b, n, i);
        long from = row(views.get(3), b, n, i);
        long at = row(views.get(4), b, n, i);
        double inner = 0;
        for (int d = 0; d < h.valueWidth(); d++) inner += dout[(int) at + d] * out[(int) from + d];
        long query = row(views.get(0), b, n, i);
        long dquery = row(places.get(0).view(), b, n, i);
        for (int j = 0; j < s.length; j++) {
            double p = StrictMath.exp(s[j] - logsum);
            long value = row(views.get(2), b, group, j);
            long dvalue = row(places.get(2).view(), b, group, j);
            double dp = 0;
            for (int d = 0; d < h.valueWidth(); d++) {
                dv[(int) dvalue + d] += p * dout[(int) at + d];
                dp += dout[(int) at + d] * v[(int) value + d];
            }
            double ds = p * (dp - inner) * h.scale();
            long key = row(views.get(1), b, group, j);
            long dkey = row(places.get(1).view(), b, group, j);
            for (int d = 0; d < h.width(); d++) {
                dq[(int) dquery + d] += ds * k[(int) key + d];
                dk[(int) dkey + d] += ds * q[(int) query + d];
            }
        }
    }
}
