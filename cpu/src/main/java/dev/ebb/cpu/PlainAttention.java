package dev.ebb.cpu;

import dev.ebb.ir.Buffer;
import dev.ebb.ir.Kernel;

import java.util.List;

/**
 * Attention row by row in double precision: for F64, and for widths beyond what the tiled kernels
 * hold in scratch. Every output row is a part of its own, so that threads share nothing; the price
 * is that the backward half computes each probability twice, once for its query's row and once for
 * its key's.
 */
final class PlainAttention {
    private final Kernel.Heads h;
    private final AttentionScores scores;
    private final List<Buffer> in;
    private final List<Buffer> out;
    private final Workers workers;

    PlainAttention(Kernel.Heads heads, List<Buffer> in, List<Buffer> out, Workers workers) {
        h = heads;
        scores = new AttentionScores(heads, in);
        this.in = in;
        this.out = out;
        this.workers = workers;
    }

    void forward() {
        workers.run(
                h.batch() * h.heads() * h.queries(),
                (part, _) -> query(part / h.queries(), part % h.queries()));
    }

    void backward() {
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
                        scores.queries,
                        scores.query(head, i),
                        scores.keys,
                        scores.key(scores.keyHead(head), j),
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
        out.get(1).set(row, sum == 0 ? Double.NEGATIVE_INFINITY : top + StrictMath.log(sum));
        for (int d = 0; d < h.valueWidth(); d++) {
            double mean = 0;
            for (int j = 0; j < p.length; j++) {
                mean =
                        Math.fma(
                                p[j],
                                scores.values.get(scores.value(scores.keyHead(head), j) + d),
                                mean);
            }
            out.get(0).set(row * h.valueWidth() + d, sum == 0 ? 0 : mean / sum);
        }
    }

    private Buffer result() {
        return in.get(in.size() - 3);
    }

    private Buffer dout() {
        return in.getLast();
    }

    private double logsum(int head, int i) {
        return in.get(in.size() - 2).get((long) head * h.queries() + i);
    }

    private long row(int head, int i) {
        return ((long) head * h.queries() + i) * h.valueWidth();
    }

    private double inner(int head, int i) {
        return dot(dout(), row(head, i), result(), row(head, i), h.valueWidth());
    }

    private double pull(int head, int i, int j, double p, double inner) {
        double dp =
                dot(
                        dout(),
                        row(head, i),
                        scores.values,
                        scores.value(scores.keyHead(head), j),
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
            add(pull(head, i, j, p, inner), scores.keys, scores.key(scores.keyHead(head), j), dq);
        }
        store(dq, out.get(0), scores.query(head, i));
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
                add(p, dout(), row(head, i), dv);
                add(pull(head, i, j, p, inner(head, i)), scores.queries, scores.query(head, i), dk);
            }
        }
        store(dk, out.get(1), scores.key(keyHead, j));
        store(dv, out.get(2), scores.value(keyHead, j));
    }

    private static void add(double factor, Buffer from, long at, double[] to) {
        for (int d = 0; d < to.length; d++) to[d] = Math.fma(factor, from.get(at + d), to[d]);
    }

    private static void store(double[] from, Buffer to, long at) {
        for (int d = 0; d < from.length; d++) to.set(at + d, from[d]);
    }
}
