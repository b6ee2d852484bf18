package dev.ebb.plan.loop;

import java.util.List;

/** What a reversal from online checkpoints takes. */
public final class OnlineReversal {
    private OnlineReversal() {}

    /**
     * The forward steps it takes to reverse {@code steps} steps from these states, all of which are
     * kept.
     */
    public static long forwards(List<Integer> states, int steps, int slots) {
        long total = 0;
        for (int i = 0; i < states.size(); i++) {
            int end = i + 1 < states.size() ? states.get(i + 1) : steps;
            total += Revolve.forwards(end - states.get(i), slots - i);
        }
        return total;
    }
}
