package dev.ebb.exec;

import dev.ebb.ir.Buffer;

import java.util.List;

/** Where a loop keeps states that do not lie in its memory. */
interface Store {

    /** Nowhere: of a loop that keeps all its states in memory. */
    Store NONE =
            new Store() {
                @Override
                public void put(int number, List<Buffer> carries) {
                    throw new IllegalStateException("a loop without a disk puts a state there");
                }

                @Override
                public void get(int number, List<Buffer> carries) {
                    throw new IllegalStateException("a loop without a disk seeks a state there");
                }
            };

    /** Moves nothing: for the time of a loop apart from its transfers. */
    Store IDLE =
            new Store() {
                @Override
                public void put(int number, List<Buffer> carries) {}

                @Override
                public void get(int number, List<Buffer> carries) {}
            };

    /** Keeps {@code carries} as state number {@code number}, in place of what was kept so. */
    void put(int number, List<Buffer> carries);

    /** Brings state number {@code number} back. */
    void get(int number, List<Buffer> carries);
}
