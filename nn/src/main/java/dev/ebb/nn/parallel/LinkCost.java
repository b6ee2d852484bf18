package dev.ebb.nn.parallel;

import dev.ebb.ir.Node;
import dev.ebb.plan.schedule.Cost;

import java.io.Serializable;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The cost of communication, for the planner, which weighs gathering a weight again against
 * recomputing other values. All ranks must plan with the same cost.
 *
 * @param bytesPerSecond that a rank sends while it receives as many
 * @param latency seconds of an exchange, however short
 */
public record LinkCost(double bytesPerSecond, double latency) implements Serializable {
    /** Ten gigabits per second, and the latency of a message over Spark's transport. */
    public static final LinkCost TYPICAL = new LinkCost(1.25e9, 1e-4);

    private static final int WARM_UP = 50;
    private static final int ROUNDS = 20;
    private static final int SHORT = 64;
    private static final int LONG = 1 << 20;

    public LinkCost {
        if (!(bytesPerSecond > 0) || !(latency >= 0)) {
            throw new IllegalArgumentException(
                    "a link of %s bytes a second with %s s of latency"
                            .formatted(bytesPerSecond, latency));
        }
    }

    /** The seconds of an exchange in which a rank sends {@code sent} bytes. */
    double seconds(long sent) {
        return latency + sent / bytesPerSecond;
    }

    /**
     * The cost measured between all ranks of a group, which must all call this: the slowest rank's,
     * rounded to powers of two, so that noise seldom changes a plan.
     */
    public static LinkCost measured(Group group) {
        if (group.size() == 1) return TYPICAL;
        for (int i = 0; i < WARM_UP; i++) best(group, SHORT, 1);
        double latency = best(group, SHORT, ROUNDS);
        double large = best(group, LONG, ROUNDS);
        double sent = (double) (LONG - SHORT) * (group.size() - 1);
        double pace = Math.max(large - latency, 1e-9) / sent;
        return new LinkCost(1 / rounded(worst(group, pace)), rounded(worst(group, latency)));
    }

    /** The least time of {@code rounds} exchanges of {@code bytes} bytes with every other rank. */
    private static double best(Group group, int bytes, int rounds) {
        var own = MemorySegment.ofArray(new byte[bytes]);
        var all = MemorySegment.ofArray(new byte[bytes * group.size()]);
        long best = Long.MAX_VALUE;
        for (int i = 0; i < rounds; i++) {
            long start = System.nanoTime();
            HostCollectives.allGather(group, own, all);
            best = Math.min(best, System.nanoTime() - start);
        }
        return best / 1e9;
    }

    private static double worst(Group group, double own) {
        var one = MemorySegment.ofArray(new byte[Double.BYTES]);
        one.set(ValueLayout.JAVA_DOUBLE_UNALIGNED, 0, own);
        var all = MemorySegment.ofArray(new byte[Double.BYTES * group.size()]);
        HostCollectives.allGather(group, one, all);
        double worst = own;
        for (int i = 0; i < group.size(); i++)
            worst = Math.max(worst, all.getAtIndex(ValueLayout.JAVA_DOUBLE_UNALIGNED, i));
        return worst;
    }

    private static double rounded(double x) {
        return Math.scalb(1.0, Math.getExponent(x));
    }

    /** The cost of nodes on a device, including communication with other ranks. */
    record WithCompute(Cost compute, LinkCost link) implements Cost {
        @Override
        public double of(Node node) {
            double own = compute.of(node);
            return node.kernel() instanceof Collectives.Run run
                    ? own + link.seconds(run.sentBytes())
                    : own;
        }
    }
}
