package dev.ebb.plan.cost;

import dev.ebb.ir.AttentionShape;
import dev.ebb.ir.Control;
import dev.ebb.ir.DecodingContract;
import dev.ebb.ir.Graph;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Node;
import dev.ebb.ir.RowParts;
import dev.ebb.ir.Scalar;
import dev.ebb.ir.Value;
import dev.ebb.plan.loop.EvenSplits;
import dev.ebb.plan.schedule.Cost;

import java.util.List;

/**
 * Predicts the time of a kernel from the peak rates of a machine: matrix products, vector
 * arithmetic, and memory traffic (Williams, Waterman and Patterson, "Roofline", 2009). A kernel
 * takes the longer of its arithmetic and its memory traffic, plus a constant to start.
 *
 * @param products multiply-adds a second in contractions, counted as two operations each
 * @param simple elementwise operations a second
 * @param bytes bytes read or written a second
 * @param start seconds to start any kernel
 */
public record Roofline(double products, double simple, double bytes, double start) implements Cost {

    /** The cost of combining one element in a fold, in elementwise operations. */
    private static final double FOLDING = 16;

    /** The same for rows that are added lane by lane, or for a row that is in the cache. */
    private static final double FOLDING_LANES = 6;

    /**
     * Two cores with wide vectors, as measured on one such machine; ratios carry over better than
     * seconds.
     */
    public static Roofline typical() {
        return new Roofline(185e9, 45e9, 28e9, 3e-6);
    }

    @Override
    public double of(Node node) {
        double traffic = 0;
        for (Value v : node.inputs()) traffic += v.type().bytes();
        for (Value v : node.outputs()) traffic += v.type().bytes();
        return start + Math.max(traffic / bytes, arithmetic(node.kernel()));
    }

    private double arithmetic(Kernel kernel) {
        return switch (kernel) {
            case Kernel.Map k -> k.shape().size() * (1.0 + Scalar.cost(k.bodies())) / simple;
            case Kernel.Fold k ->
                    k.shape().size()
                            * (k.bodies().size() * folding(k) + Scalar.cost(k.bodies()))
                            / simple;
            case Kernel.Rows k -> rows(k) / simple;
            case Kernel.Contract k ->
                    2.0 * k.batch().size() * k.m() * k.n() * k.k() / products
                            + (double) k.batch().size()
                                    * k.m()
                                    * k.n()
                                    * cost(k.epilogue())
                                    / simple;
            case DecodingContract k -> arithmetic(k.factor()) + arithmetic(k.product());
            case Kernel.Assemble k -> k.shape().size() / simple;
            case Kernel.Cut k ->
                    k.sizes().stream().mapToDouble(n -> n).sum() * k.outer() * k.inner() / simple;
            case Kernel.Gather k -> k.shape().size() / simple;
            case Kernel.Scatter k -> 2.0 * k.shape().size() / simple;
            case Kernel.Cumulate k -> 2.0 * k.outer() * k.length() * k.inner() / simple;
            case Kernel.Sort k ->
                    4.0 * k.outer() * k.length() * k.inner() * bits(k.length()) / simple;
            case Kernel.Convolve k -> convolve(k) / products;
            case Kernel.Attend(var h, _, _) -> attention(h, (double) h.width() + h.valueWidth());
            case Kernel.AttendGrad(var h, _, _) ->
                    attention(h, 3.0 * h.width() + 2.0 * h.valueWidth());
            case Control k -> control(k);
            case Kernel.Library _ -> 0;
        };
    }

    private static int bits(int n) {
        return Integer.SIZE - Integer.numberOfLeadingZeros(n);
    }

    private static double folding(Kernel.Fold k) {
        return k.axes().contains(k.shape().rank() - 1) ? FOLDING : FOLDING_LANES;
    }

    /**
     * Rows are read from memory once; further folds of a row, which is then in the cache, cost less
     * than the first.
     */
    private static double rows(Kernel.Rows k) {
        double each = 0;
        for (var result : k.results()) {
            each +=
                    switch (result) {
                        case RowParts.Elements(var body) -> 1.0 + cost(body);
                        case RowParts.RowNumber _ -> 0;
                        case RowParts.Columns(_, var body) -> FOLDING_LANES + cost(body);
                    };
        }
        double once = 0;
        for (var number : k.numbers()) {
            switch (number) {
                case RowParts.Fold(_, var body) -> each += FOLDING_LANES + cost(body);
                case RowParts.Apply(var body) -> once += 1.0 + cost(body);
            }
        }
        return k.shape().size() * each + k.outer().size() * once;
    }

    private static int cost(Scalar body) {
        return Scalar.cost(List.of(body));
    }

    /** Small tiles multiply a little slower than large ones; each score takes an exponential. */
    private double attention(AttentionShape h, double depth) {
        return pairs(h) * (1.3 * 2 * depth / products + 20 / simple);
    }

    private static double pairs(AttentionShape h) {
        double all = (double) h.batch() * h.heads() * h.queries() * h.keys();
        return h.causal() ? all / 2 : all;
    }

    private static double convolve(Kernel.Convolve k) {
        double n = 2.0 * k.batch() * k.groups() * k.inChannels() * k.outChannels();
        for (int d = 0; d < k.out().size(); d++) n *= (double) k.out().get(d) * k.kernel().get(d);
        return n;
    }

    private double control(Control control) {
        return switch (control) {
            case Control.Scan k -> scan(k);
            case Control.While k -> 16.0 * (graph(k.condition()) + graph(k.body()));
            case Control.ReverseScan k -> reverseScan(k);
            case Control.Cond k -> Math.max(graph(k.yes()), graph(k.no()));
        };
    }

    private double scan(Control.Scan k) {
        if (!(k.checkpointing() instanceof Control.Checkpointing.Checkpoints(var area, var taping)))
            return k.times() * graph(k.body());
        var splits = new EvenSplits(area, k.times());
        int taped = k.times() == 0 ? 0 : Math.min(k.times(), splits.capacity(0));
        return (k.times() - taped) * graph(k.body())
                + taped * (graph(taping.body()) + area.tape() / bytes);
    }

    /**
     * Every iteration is taped once, here or by the forward loop; the iterations that are run ahead
     * come on top.
     */
    private double reverseScan(Control.ReverseScan k) {
        int times = k.forward().times();
        var splits = new EvenSplits(k.area(), times);
        double all = splits.ahead(0, times, 0);
        int first = Math.min(times, splits.capacity(0));
        double ahead =
                k.start() == Control.ReverseStart.CHECKPOINTED
                        ? Math.max(0, all - (times - first))
                        : all;
        int left = k.start() == Control.ReverseStart.CHECKPOINTED ? times - first : times;
        return ahead * graph(k.forward().body())
                + left * graph(k.taping().body())
                + times * (graph(k.backward().body()) + 2.0 * k.area().tape() / bytes);
    }

    private double graph(Graph graph) {
        return graph.nodes().stream().mapToDouble(this::of).sum();
    }
}
