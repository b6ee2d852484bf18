package dev.ebb.plan.loop;

import java.util.BitSet;
import java.util.List;

/**
 * How a chain is run forwards and backwards. A schedule that exists is valid: the constructor
 * replays it.
 */
public record ChainSchedule(Chain chain, List<ChainStep> steps) {

    /**
     * The resources that running a schedule takes: forward steps (taped ones included), states
     * saved at once, peak bytes, cost.
     */
    public record Footprint(long forwards, int slots, long peakBytes, double cost) {}

    public ChainSchedule {
        steps = List.copyOf(steps);
        new Replay(chain).run(steps);
    }

    public Footprint footprint() {
        return new Replay(chain).run(steps);
    }

    private static final class Replay {
        private final Chain chain;
        private final BitSet saved = new BitSet();
        private final BitSet taped = new BitSet();

        /** The state just reached, if it is neither saved nor on a tape; -1 if there is none. */
        private int loose = -1;

        private int next;
        private long held;
        private long forwards;
        private int slots;
        private long peak;
        private double cost;

        Replay(Chain chain) {
            this.chain = chain;
            next = chain.length() - 1;
            saved.set(0);
            slots = 1;
            held = chain.inputBytes() + chain.stateBytes(chain.length());
            peak = held;
        }

        Footprint run(List<ChainStep> steps) {
            for (ChainStep step : steps) {
                switch (step) {
                    case ChainStep.Save(int k) -> save(k);
                    case ChainStep.Forward(int k) -> forward(k);
                    case ChainStep.Tape(int k) -> tape(k);
                    case ChainStep.Backward(int k) -> backward(k);
                }
            }
            require(next == -1, "backward steps from " + next + " down are missing");
            return new Footprint(forwards, slots, peak, cost);
        }

        private boolean holds(int state) {
            return loose == state || saved.get(state) || (state > 0 && taped.get(state - 1));
        }

        private void drop() {
            if (loose >= 0) held -= chain.stateBytes(loose);
            loose = -1;
        }

        private void save(int k) {
            require(loose == k, "state " + k + " was not just reached, and cannot be saved");
            saved.set(k);
            slots = Math.max(slots, saved.cardinality());
            loose = -1;
        }

        private void forward(int k) {
            var stage = start(k);
            peak = Math.max(peak, held + stage.outputBytes() + stage.forwardWorkspace());
            drop();
            loose = k + 1;
            held += stage.outputBytes();
        }

        private void tape(int k) {
            var stage = start(k);
            require(!taped.get(k), "stage " + k + " is taped twice");
            peak = Math.max(peak, held + stage.tapeBytes() + stage.forwardWorkspace());
            taped.set(k);
            held += stage.tapeBytes();
        }

        private Chain.Stage start(int k) {
            require(
                    k >= 0 && k < chain.length() && holds(k),
                    "stage " + k + " starts from a state that is not there");
            if (loose >= 0 && loose != k) drop();
            forwards++;
            cost += chain.stages().get(k).forward();
            return chain.stages().get(k);
        }

        private void backward(int k) {
            require(k == next, "backward step " + k + " comes before " + next);
            require(
                    taped.get(k) && holds(k),
                    "backward step " + k + " lacks its tape or its state");
            drop();
            var stage = chain.stages().get(k);
            peak = Math.max(peak, held + chain.stateBytes(k) + stage.backwardWorkspace());
            taped.clear(k);
            held += chain.stateBytes(k) - stage.tapeBytes() - chain.stateBytes(k + 1);
            if (k > 0 && saved.get(k)) {
                saved.clear(k);
                held -= chain.stateBytes(k);
            }
            cost += stage.backward();
            next--;
        }

        private static void require(boolean holds, String fault) {
            if (!holds) throw new IllegalArgumentException(fault);
        }
    }
}
