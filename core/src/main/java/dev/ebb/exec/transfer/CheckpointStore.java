package dev.ebb.exec.transfer;

import dev.ebb.ir.Buffer;
import dev.ebb.ir.Memory;

import java.util.List;

/**
 * Where a loop keeps checkpoints outside its own memory. With memory {@code beside} for one more
 * state, a transfer runs while the loop goes on; without it, the loop waits.
 */
public interface CheckpointStore {

    /** Nowhere: of a loop that keeps all its states in memory. */
    CheckpointStore NONE =
            new CheckpointStore() {
                @Override
                public void put(int number, List<Buffer> carries, Memory beside) {
                    throw new IllegalStateException(
                            "a loop that keeps all in memory offloads a state");
                }

                @Override
                public void get(int number, List<Buffer> carries, Memory beside) {
                    throw new IllegalStateException(
                            "a loop that keeps all in memory fetches a state");
                }

                @Override
                public void ahead(int number, List<Buffer> carries, Memory beside) {
                    throw new IllegalStateException(
                            "a loop that keeps all in memory fetches a state");
                }

                @Override
                public void begin() {}

                @Override
                public void settle() {}
            };

    /** Moves nothing: for the time of a loop apart from its transfers. */
    CheckpointStore IDLE =
            new CheckpointStore() {
                @Override
                public void put(int number, List<Buffer> carries, Memory beside) {}

                @Override
                public void get(int number, List<Buffer> carries, Memory beside) {}

                @Override
                public void ahead(int number, List<Buffer> carries, Memory beside) {}

                @Override
                public void begin() {}

                @Override
                public void settle() {}
            };

    /** Stores {@code carries} as state number {@code number}, replacing an earlier one. */
    void put(int number, List<Buffer> carries, Memory beside);

    /** Brings state number {@code number} back. */
    void get(int number, List<Buffer> carries, Memory beside);

    /** Begins to restore the state that is asked for next; {@code carries} are not written. */
    void ahead(int number, List<Buffer> carries, Memory beside);

    /** Nothing is under way: whatever was has ended, or failed with its run. */
    void begin();

    /** Returns when nothing is under way. */
    void settle();
}
