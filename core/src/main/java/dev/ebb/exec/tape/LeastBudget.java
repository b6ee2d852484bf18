package dev.ebb.exec.tape;

import dev.ebb.exec.Device;
import dev.ebb.ir.Control;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Node;
import dev.ebb.plan.WorkerMemory;

import java.util.BitSet;
import java.util.List;
import java.util.Map;

/**
 * Finds the smallest budget in which the events of a tape run, exact to the byte, by bisection. A
 * {@link TapeReplay} without memory and kernels tries each budget: its decisions are those of the
 * tape.
 *
 * @param failing the nodes that failed when they ran, and would again
 * @param iterations for each loop whose number of iterations depends on data, the number that it
 *     has run; a loop that has not run counts with its limit
 */
record LeastBudget(
        List<TapeEvent> events,
        Device device,
        WorkerMemory workers,
        BitSet failing,
        Map<Integer, Long> iterations) {

    /** A node failed as it did on the tape. */
    private static final class Failed extends RuntimeException {
        private static final long serialVersionUID = 1;

        Failed() {
            super("as on the tape", null, false, false);
        }
    }

    private final class Nothing implements TapeReplay.Kernels {
        @Override
        public void run(
                int i,
                Node node,
                OpForm form,
                Kernel kernel,
                boolean again,
                long at,
                long scratch) {
            if (failing.get(i)) throw new Failed();
        }

        @Override
        public long iterations(int i, Node node, Control.Scan loop) {
            return iterations.getOrDefault(i, (long) loop.times());
        }
    }

    /**
     * The smallest budget above {@code refused} in which all events run while they do not run in
     * one byte less. It does not depend on {@code refused}, unless a larger budget is refused
     * although a smaller one suffices.
     */
    long above(long refused) {
        var all = replay(Long.MAX_VALUE);
        long enough = workers.budgetForAny(all.residents().peak());
        enough = Math.max(enough, 2 * ownBytes(all));
        while (!runsIn(enough)) enough += 64 + enough / 8;
        long least = bisect(0, enough);
        if (least > refused) return least;
        enough = Math.max(enough, refused + 1);
        while (!runsIn(enough)) enough += 64 + enough / 8;
        return bisect(refused, enough);
    }

    /** Bisects between a budget that is too small and one that suffices. */
    private long bisect(long tooLittle, long enough) {
        long low = tooLittle;
        long high = enough;
        while (high - low > 1) {
            long middle = low + (high - low) / 2;
            if (runsIn(middle)) high = middle;
            else low = middle;
        }
        return high;
    }

    private boolean runsIn(long budget) {
        try {
            return ownBytes(replay(budget)) <= workers.reserveForAny(budget);
        } catch (TapeReplay.TooSmallException _) {
            return false;
        }
    }

    private long ownBytes(TapeReplay replay) {
        return device.ownBytes(replay.haveRun()).applyAsLong(1);
    }

    private TapeReplay replay(long budget) {
        var replay = new TapeReplay(budget, workers, ArenaMemory.NONE, new Nothing());
        for (var event : events) {
            try {
                replay.apply(event);
            } catch (Failed _) {
                // the tape continued after the failure as well
            }
        }
        return replay;
    }
}
