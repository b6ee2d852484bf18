package dev.ebb.plan.loop;

import java.util.Collections;
import java.util.List;

/**
 * Stages in a row, each reading only the state its predecessor reached. State 0, of {@code
 * inputBytes}, is in memory from the start, and so is the gradient of the last state.
 */
public record Chain(long inputBytes, List<Stage> stages) {

    /**
     * The cost and the sizes of one stage. {@code outputBytes} is the size of the state it reaches
     * and of that state's gradient; {@code tapeBytes} is the size of the values that its backward
     * step needs besides the state it started from.
     */
    public record Stage(
            double forward,
            double backward,
            long outputBytes,
            long tapeBytes,
            long forwardWorkspace,
            long backwardWorkspace) {
        public Stage {
            if (!(forward >= 0) || !(backward >= 0)) {
                throw new IllegalArgumentException(
                        "a stage cannot cost " + forward + " and " + backward);
            }
            if (outputBytes < 0 || tapeBytes < 0 || forwardWorkspace < 0 || backwardWorkspace < 0) {
                throw new IllegalArgumentException("a stage cannot take negative bytes");
            }
        }
    }

    public Chain {
        stages = List.copyOf(stages);
        if (inputBytes < 0)
            throw new IllegalArgumentException("a state cannot take " + inputBytes + " bytes");
    }

    /**
     * Equal stages of unit cost whose states take one byte each and whose tapes are not counted.
     */
    public static Chain uniform(int length) {
        return new Chain(1, Collections.nCopies(length, new Stage(1, 1, 1, 0, 0, 0)));
    }

    public int length() {
        return stages.size();
    }

    /** The size of state {@code k}, and of its gradient. */
    public long stateBytes(int k) {
        return k == 0 ? inputBytes : stages.get(k - 1).outputBytes();
    }
}
