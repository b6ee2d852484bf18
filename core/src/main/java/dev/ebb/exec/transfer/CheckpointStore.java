package dev.ebb.exec.transfer;

import dev.ebb.ir.Buffer;
import dev.ebb.ir.Memory;

import java.util.List;

/**
 * Stores the offloaded states of a loop. With memory {@code beside} for one more state, a transfer
 * overlaps with the loop; without it, the loop waits.
 */
public interface CheckpointStore {

    /** For a loop without offloaded states. */
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
            };

    /** Transfers nothing; used to time a loop without its transfers. */
    CheckpointStore IDLE =
            new CheckpointStore() {
                @Override
                public void put(int number, List<Buffer> carries, Memory beside) {}

                @Override
                public void get(int number, List<Buffer> carries, Memory beside) {}

                @Override
                public void ahead(int number, List<Buffer> carries, Memory beside) {}
            };

    /** Stores {@code carries} as state number {@code number}, replacing an earlier one. */
    void put(int number, List<Buffer> carries, Memory beside);

    /** Reads state number {@code number} back. */
    void get(int number, List<Buffer> carries, Memory beside);

    /** Prefetches the state that is read next; {@code carries} are not written yet. */
    void ahead(int number, List<Buffer> carries, Memory beside);

    /**
     * A loop starts: no transfer is under way, as earlier ones have ended or failed with their run.
     */
    default void begin() {}

    /** Returns when nothing is under way. */
    default void settle() {}
}
