package dev.ebb.exec.loop;

import dev.ebb.exec.Session;
import dev.ebb.exec.transfer.CheckpointStore;
import dev.ebb.ir.Buffer;
import dev.ebb.ir.CheckpointArea;
import dev.ebb.ir.Memory;

import java.util.List;

/** The checkpoint area of a loop bound to memory, and the store for its offloaded states. */
record CheckpointPool(
        Session session, Memory memory, CheckpointArea area, CheckpointStore elsewhere) {

    /** A checkpoint area without offloaded states. */
    CheckpointPool(Session session, Memory memory, CheckpointArea area) {
        this(session, memory, area, CheckpointStore.NONE);
    }

    /** Saves a state as number {@code level}. */
    void save(List<Buffer> carries, int level) {
        if (level < area.offloaded()) elsewhere.put(level, carries, beside());
        else write(carries, area.stateBytes(level));
    }

    void restore(int level, List<Buffer> carries) {
        if (level < area.offloaded()) elsewhere.get(level, carries, beside());
        else read(area.stateBytes(level), carries);
    }

    /**
     * Announces that state {@code level} is the next to be restored: it may be prefetched while the
     * loop runs.
     */
    void expect(int level, List<Buffer> carries) {
        if (level >= 0 && level < area.offloaded()) elsewhere.ahead(level, carries, beside());
    }

    /** Memory for a state in transfer to or from its place, if there is any. */
    private Memory beside() {
        return area.moving() == 0
                ? memory.slice(0, 0)
                : memory.slice(area.movingAt(), area.state());
    }

    /** The location of tape {@code number} above {@code level} states. */
    long tape(int level, int number) {
        return area.stateBytes(level) + number * area.tape();
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
