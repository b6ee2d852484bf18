package dev.ebb.exec;

import dev.ebb.ir.Buffer;
import dev.ebb.ir.Memory;

import java.util.List;

/**
 * Where a loop keeps states that do not lie in its memory. Where there is memory {@code beside} for
 * one state, it is moved while the loop runs on; without, the loop waits.
 */
interface Store {

    /** Nowhere: of a loop that keeps all its states in memory. */
    Store NONE =
            new Store() {
                @Override
                public void put(int number, List<Buffer> carries, Memory beside) {
                    throw new IllegalStateException("a loop without a disk puts a state there");
                }

                @Override
                public void get(int number, List<Buffer> carries, Memory beside) {
                    throw new IllegalStateException("a loop without a disk seeks a state there");
                }

                @Override
                public void ahead(int number, List<Buffer> carries, Memory beside) {
                    throw new IllegalStateException("a loop without a disk seeks a state there");
                }

                @Override
                public void begin() {}

                @Override
                public void settle() {}
            };

    /** Moves nothing: for the time of a loop apart from its transfers. */
    Store IDLE =
            new Store() {
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

    /** Keeps {@code carries} as state number {@code number}, in place of what was kept so. */
    void put(int number, List<Buffer> carries, Memory beside);

    /** Brings state number {@code number} back. */
    void get(int number, List<Buffer> carries, Memory beside);

    /** Begins to bring back the state that is asked for next; {@code carries} are not written. */
    void ahead(int number, List<Buffer> carries, Memory beside);

    /** Nothing is under way: whatever was has ended, or failed with its run. */
    void begin();

    /** Returns when nothing is under way. */
    void settle();
}
