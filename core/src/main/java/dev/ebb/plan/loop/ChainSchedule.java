package dev.ebb.plan.loop;

import java.util.BitSet;
import java.util.List;

/**
 * How a chain of {@code length} equal stages is run forwards and backwards. Each stage reads only
 * the state that the one before it reached; state 0 is in memory from the start, and so is the
 * gradient of the last state. A schedule that exists is valid: the constructor replays it.
 */
public record ChainSchedule(int length, List<ChainStep> steps) {

    public ChainSchedule {
        steps = List.copyOf(steps);
        new Replay(length).run(steps);
    }

    private static final class Replay {
        private final int length;
        private final BitSet saved = new BitSet();
        private final BitSet taped = new BitSet();

        /** The state just reached, if it is neither saved nor on a tape; -1 if there is none. */
        private int loose = -1;

        private int next;

        Replay(int length) {
            this.length = length;
            next = length - 1;
            saved.set(0);
        }

        void run(List<ChainStep> steps) {
            for (ChainStep step : steps) {
                switch (step) {
                    case ChainStep.Save(int k) -> save(k);
                    case ChainStep.Forward(int k) -> forward(k);
                    case ChainStep.Tape(int k) -> tape(k);
                    case ChainStep.Backward(int k) -> backward(k);
                }
            }
            require(next == -1, "backward steps from " + next + " down are missing");
        }

        private boolean holds(int state) {
            return loose == state || saved.get(state) || (state > 0 && taped.get(state - 1));
        }

        private void save(int k) {
            require(loose == k, "state " + k + " was not just reached, and cannot be saved");
            saved.set(k);
            loose = -1;
        }

        private void forward(int k) {
            start(k);
            loose = k + 1;
        }

        private void tape(int k) {
            start(k);
            require(!taped.get(k), "stage " + k + " is taped twice");
            taped.set(k);
        }

        private void start(int k) {
            require(
                    k >= 0 && k < length && holds(k),
                    "stage " + k + " starts from a state that is not there");
            if (loose != k) loose = -1;
        }

        private void backward(int k) {
            require(k == next, "backward step " + k + " comes before " + next);
            require(
                    taped.get(k) && holds(k),
                    "backward step " + k + " lacks its tape or its state");
            loose = -1;
            taped.clear(k);
            if (k > 0) saved.clear(k);
            next--;
        }

        private static void require(boolean holds, String fault) {
            if (!holds) throw new IllegalArgumentException(fault);
        }
    }
}
