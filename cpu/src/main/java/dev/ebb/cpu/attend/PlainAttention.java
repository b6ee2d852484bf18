package dev.ebb.cpu.attend;

import dev.ebb.cpu.work.WorkerGroup;
import dev.ebb.ir.AttentionShape;
import dev.ebb.ir.Buffer;
import dev.ebb.ir.Kernel;

import java.util.List;

/**
 * Attention row by row in double precision: for F64, and for widths beyond the scratch memory of
 * the tiled kernels. Every output row is a separate part, so threads share nothing; therefore the
 * backward pass computes each probability twice, once for its query's row and once for its key's.
 */
public final class PlainAttention {
    private final AttentionShape h;
    private final AttentionScores scores;
    private final List<HeadRows> rows;
    private final Buffer logsum;
    private final WorkerGroup workers;

    /**
     * @param rows the first output; or out, dout, dq, dk and dv for the gradient
     */
    private PlainAttention(
            AttentionShape heads,
            AttentionScores scores,
            List<HeadRows> rows,
            Buffer logsum,
            WorkerGroup workers) {
        h = heads;
        this.scores = scores;
        this.rows = rows;
        this.logsum = logsum;
        this.workers = workers;
    }

    public static Runnable of(
            Kernel.Attend k, List<Buffer> in, List<Buffer> out, WorkerGroup workers) {
        var h = k.heads();
        var scores = new AttentionScores(h, k.operands(), in);
        var rows = List.of(HeadRows.of(out.get(0), k.out(), h.heads()));
        return new PlainAttention(h, scores, rows, out.get(1), workers)::forward;
    }

    public static Runnable of(
            Kernel.AttendGrad k, List<Buffer> in, List<Buffer> out, WorkerGroup workers) {
        var h = k.heads();
        var scores = new AttentionScores(h, k.operands(), in);
        int first = 3 + h.mask().size();
        var rows =
                List.of(
                        HeadRows.of(in.get(first), k.operands().get(3), h.heads()),
                        HeadRows.of(in.get(first + 1), k.operands().get(4), h.heads()),
                        HeadRows.of(out, k.results().get(0), h.heads()),
                        HeadRows.of(out, k.results().get(1), h.keyHeads()),
                        HeadRows.of(out, k.results().get(2), h.keyHeads()));
        return new PlainAttention(h, scores, rows, in.getLast(), workers)::backward;
    }

    private void forward() {
        workers.run(
                h.batch() * h.heads() * h.queries(),
                (part, _) -> query(part / h.queries(), part % h.queries()));
    }

    private void backward() {
        workers.run(
                h.batch() * h.heads() * h.queries(),
                (part, _) -> pullQuery(part / h.queries(), part % h.queries()));
        workers.run(
                h.batch() * h.keyHeads() * h.keys(),
                (part, _) -> pullKey(part / h.keys(), part % h.keys()));
    }

    private double score(int head, int i, int j) {
        double dot =
                dot(
                        scores.queries.buffer(),
                        scores.queries.at(head, i),
                        scores.keys.buffer(),
                        scores.keys.at(scores.keyHead(head), j),
                        h.width());
        return dot * h.scale() + scores.mask(head, i, j);
    }

    private static double dot(Buffer a, long from, Buffer b, long at, int length) {
        double sum = 0;
        for (int d = 0; d < length; d++) sum = Math.fma(a.get(from + d), b.get(at + d), sum);
        return sum;
    }

    private void query(int head, int i) {
        var p = new double[scores.visible(i + 1)];
        double top = Double.NEGATIVE_INFINITY;
        for (int j = 0; j < p.length; j++) {
            p[j] = score(head, i, j);
            top = Math.max(top, p[j]);
        }
        double shift = top == Double.NEGATIVE_INFINITY ? 0 : top;
        double sum = 0;
        for (int j = 0; j < p.length; j++) {
            p[j] = StrictMath.exp(p[j] - shift);
            sum += p[j];
        }
        long row = (long) head * h.queries() + i;
        logsum.set(row, sum == 0 ? Double.NEGATIVE_INFINITY : top + StrictMath.log(sum));
        for (int d = 0; d < h.valueWidth(); d++) {
            double mean = 0;
            for (int j = 0; j < p.length; j++) {
                mean = Math.fma(p[j], scores.values.buffer().get(value(head, j) + d), mean);
            }
            rows.get(0).buffer().set(rows.get(0).at(head, i) + d, sum == 0 ? 0 : mean / sum);
        }
    }

    private long value(int head, int j) {
        return scores.values.at(scores.keyHead(head), j);
    }

    private HeadRows dout() {
        return rows.get(1);
    }

    private double logsum(int head, int i) {
        return logsum.get((long) head * h.queries() + i);
    }

    private double inner(int head, int i) {
        var out = rows.get(0);
        return dot(
                dout().buffer(), dout().at(head, i), out.buffer(), out.at(head, i), h.valueWidth());
    }

    private double pull(int head, int i, int j, double p, double inner) {
        double dp =
                dot(
                        dout().buffer(),
                        dout().at(head, i),
                        scores.values.buffer(),
                        value(head, j),
                        h.valueWidth());
        return p * (dp - inner) * h.scale();
    }

    private void pullQuery(int head, int i) {
        var dq = new double[h.width()];
        double logsum = logsum(head, i);
        int visible = logsum == Double.NEGATIVE_INFINITY ? 0 : scores.visible(i + 1);
        double inner = inner(head, i);
        for (int j = 0; j < visible; j++) {
            double p = StrictMath.exp(score(head, i, j) - logsum);
            add(pull(head, i, j, p, inner), scores.keys, scores.keyHead(head), j, dq);
        }
        store(dq, rows.get(2), head, i);
    }

    private void pullKey(int keyHead, int j) {
        var dk = new double[h.width()];
        var dv = new double[h.valueWidth()];
        int group = h.heads() / h.keyHeads();
        int first = keyHead / h.keyHeads() * h.heads() + keyHead % h.keyHeads() * group;
        for (int head = first; head < first + group; head++) {
            for (int i = 0; i < h.queries(); i++) {
                double logsum = logsum(head, i);
                if (logsum == Double.NEGATIVE_INFINITY || j >= scores.visible(i + 1)) continue;
                double p = StrictMath.exp(score(head, i, j) - logsum);
                add(p, dout(), head, i, dv);
                add(pull(head, i, j, p, inner(head, i)), scores.queries, head, i, dk);
            }
        }
        store(dk, rows.get(3), keyHead, j);
        store(dv, rows.get(4), keyHead, j);
    }

    private static void add(double factor, HeadRows from, int head, int i, double[] to) {
        long at = from.at(head, i);
        for (int d = 0; d < to.length; d++) {
            to[d] = Math.fma(factor, from.buffer().get(at + d), to[d]);
        }
    }

    private static void store(double[] from, HeadRows to, int head, int i) {
        long at = to.at(head, i);
        for (int d = 0; d < from.length; d++) to.buffer().set(at + d, from[d]);
    }
}
