package dev.ebb.exec.tape;

import dev.ebb.exec.Queue;
import dev.ebb.exec.Session;
import dev.ebb.ir.Memory;

import java.lang.foreign.MemorySegment;
import java.util.Optional;
import java.util.function.LongSupplier;

/** The memory of {@link ResidentValues}. */
interface ArenaMemory {

    /** No memory, for a replay that only counts sizes. */
    ArenaMemory NONE =
            new ArenaMemory() {
                @Override
                public void cover(long end) {}

                @Override
                public void move(long from, long to, long bytes) {}

                @Override
                public Memory all() {
                    throw new IllegalStateException("there is no memory behind these sizes");
                }
            };

    /** Grows to at least this size and keeps its content. */
    void cover(long end);

    /** Copies {@code bytes} from one offset to another; both may overlap. */
    void move(long from, long to, long bytes);

    /** The whole memory, until it grows. */
    Memory all();

    /**
     * Memory of a device that grows as needed.
     *
     * <p>To grow, a larger block is allocated and the content is copied, so that both blocks exist
     * for a moment. The two together must not exceed the limit. So the memory grows by a factor
     * only as long as a block and one of the largest size fit together; after that it has the
     * largest size.
     */
    final class OnDevice implements ArenaMemory {
        private static final long FIRST = 1 << 16;
        private static final long FACTOR = 2;

        private final Session session;
        private final long most;
        private final LongSupplier beside;
        private Optional<Queue.Allocation> allocation = Optional.empty();
        private Memory all = Memory.of(MemorySegment.NULL);
        private long size;

        /**
         * @param most the largest size
         * @param beside the bytes that may exist in addition to the largest size while it grows
         */
        OnDevice(Session session, long most, LongSupplier beside) {
            this.session = session;
            this.most = most;
            this.beside = beside;
        }

        @Override
        public void cover(long end) {
            if (end <= size) return;
            long next = FIRST;
            while (next < end) next *= FACTOR;
            resize(next > Math.min(most, beside.getAsLong()) ? Math.max(most, end) : next);
        }

        /**
         * Grows to the largest size if, with only {@code spare} bytes in addition, it could not
         * later.
         */
        void leave(long spare) {
            if (size > spare && size < most) resize(most);
        }

        private void resize(long bytes) {
            var larger = session.queue().allocate(bytes);
            allocation.ifPresent(
                    old -> {
                        session.copy(all, 0, larger.memory(), 0, size);
                        session.queue().finish();
                        old.close();
                    });
            allocation = Optional.of(larger);
            all = larger.memory();
            size = bytes;
        }

        @Override
        public void move(long from, long to, long bytes) {
            session.copy(all, from, all, to, bytes);
        }

        @Override
        public Memory all() {
            return all;
        }
    }
}
