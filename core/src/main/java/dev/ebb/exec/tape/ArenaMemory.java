package dev.ebb.exec.tape;

import dev.ebb.exec.Queue;
import dev.ebb.exec.Session;
import dev.ebb.ir.Memory;

import java.util.Optional;

/** The memory in which {@link ResidentValues} lie. */
interface ArenaMemory {

    /** No memory at all: where only sizes are counted. */
    ArenaMemory NONE =
            new ArenaMemory() {
                @Override
                public void resize(long bytes) {}

                @Override
                public void move(long from, long to, long bytes) {}

                @Override
                public Memory at(long start, long bytes) {
                    throw new IllegalStateException("there is no memory behind these sizes");
                }
            };

    /** Becomes this large; what was in it stays. */
    void resize(long bytes);

    /** Copies {@code bytes} from one offset to another; both may overlap. */
    void move(long from, long to, long bytes);

    Memory at(long start, long bytes);

    /** Memory of a device. */
    static ArenaMemory of(Session session) {
        return new OnDevice(session);
    }

    /** Memory of a device, allocated anew whenever it grows. */
    final class OnDevice implements ArenaMemory {
        private final Session session;
        private Optional<Queue.Allocation> allocation = Optional.empty();

        private OnDevice(Session session) {
            this.session = session;
        }

        @Override
        public void resize(long bytes) {
            var larger = session.queue().allocate(bytes);
            allocation.ifPresent(
                    old -> {
                        var all = old.memory();
                        session.copy(all, 0, larger.memory(), 0, all.bytes());
                        session.queue().finish();
                        old.close();
                    });
            allocation = Optional.of(larger);
        }

        @Override
        public void move(long from, long to, long bytes) {
            session.copy(all(), from, all(), to, bytes);
        }

        @Override
        public Memory at(long start, long bytes) {
            return all().slice(start, bytes);
        }

        private Memory all() {
            return allocation.orElseThrow().memory();
        }
    }
}
