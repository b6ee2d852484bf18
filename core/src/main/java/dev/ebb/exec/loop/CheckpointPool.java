package dev.ebb.exec.loop;

import dev.ebb.exec.Session;
import dev.ebb.exec.transfer.CheckpointStore;
import dev.ebb.ir.Buffer;
import dev.ebb.ir.LoopMemory;
import dev.ebb.ir.Memory;

import java.util.List;

/**
 * The memory in which a loop keeps checkpoints and tapes, and the store for the checkpoints that
 * lie outside it.
 */
record CheckpointPool(Session session, Memory memory, LoopMemory room, CheckpointStore elsewhere) {

    /** All in memory. */
    CheckpointPool(Session session, Memory memory, LoopMemory room) {
        this(session, memory, room, CheckpointStore.NONE);
    }

    /** Saves a state as number {@code level}. */
    void save(List<Buffer> carries, int level) {
        if (level < room.offloaded()) elsewhere.put(level, carries, beside());
        else write(carries, room.stateBytes(level));
    }

    void restore(int level, List<Buffer> carries) {
        if (level < room.offloaded()) elsewhere.get(level, carries, beside());
        else read(room.stateBytes(level), carries);
    }

    /**
     * Announces that state {@code level} is the next to be restored: it may be prefetched while the
     * loop runs.
     */
    void expect(int level, List<Buffer> carries) {
        if (level >= 0 && level < room.offloaded()) elsewhere.ahead(level, carries, beside());
    }

    /** Memory for a state in transfer to or from its place, if there is any. */
    private Memory beside() {
        return room.moving() == 0
                ? memory.slice(0, 0)
                : memory.slice(room.movingAt(), room.state());
    }

    /** The location of tape {@code number} above {@code level} states. */
    long tape(int level, int number) {
        return room.stateBytes(level) + number * room.tape();
    }

    /** Writes buffers contiguously; returns the end of the last. */
    long write(List<Buffer> buffers, long offset) {
        long at = offset;
        for (int i = 0; i < buffers.size(); i++) {
            var b = buffers.get(i);
            session.copy(b.memory(), 0, memory, at, b.bytes());
            at += Math.ceilDiv(b.bytes(), 64) * 64;
        }
        return at;
    }

    void read(long offset, List<Buffer> buffers) {
        long at = offset;
        for (int i = 0; i < buffers.size(); i++) {
            var b = buffers.get(i);
            session.copy(memory, at, b.memory(), 0, b.bytes());
            at += Math.ceilDiv(b.bytes(), 64) * 64;
        }
    }
}
