package dev.ebb.exec;

import dev.ebb.ir.Buffer;
import dev.ebb.ir.Memory;

import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * A device and the queue on which the work of one program runs, with the host's operations on that
 * queue: allocating, copying and reading memory.
 */
public record Session(Device device, Queue queue) {

    public static Session on(Device device) {
        return new Session(device, device.open());
    }

    /** Waits for the work so far and reads one whole number or truth value. */
    public long readLong(Buffer from, long i) {
        long width = from.dtype().bytes(1);
        var here = new Buffer(from.dtype(), 1, MemorySegment.ofArray(new long[1]));
        queue.read(from.memory().slice(i * width, width), here.segment().asSlice(0, width));
        return here.getLong(0);
    }

    /** Puts on the queue: element {@code i} becomes {@code value}. */
    public void writeLong(Buffer to, long i, long value) {
        long width = to.dtype().bytes(1);
        var here = new Buffer(to.dtype(), 1, MemorySegment.ofArray(new long[1]));
        here.setLong(0, value);
        queue.write(here.segment().asSlice(0, width), to.memory().slice(i * width, width));
    }

    /** Puts on the queue: each buffer becomes a copy of its counterpart. */
    public void copy(List<Buffer> from, List<Buffer> to) {
        for (int i = 0; i < to.size(); i++) copy(from.get(i), to.get(i));
    }

    void copy(Buffer from, Buffer to) {
        copy(from.memory(), 0, to.memory(), 0, to.bytes());
    }

    /** Puts on the queue: {@code bytes} bytes are copied from one offset to another. */
    public void copy(Memory from, long fromOffset, Memory to, long toOffset, long bytes) {
        if (bytes > 0) queue.copy(from, fromOffset, to, toOffset, bytes);
    }

    /**
     * Waits, after {@code fault} has ended a run, for the work that the run has left on the queue:
     * what fails there belongs to that run, not to the next one.
     */
    @SuppressWarnings("ReferenceEquality") // no exception may suppress itself
    public void drain(Throwable fault) {
        try {
            queue.finish();
        } catch (RuntimeException e) {
            if (e != fault) fault.addSuppressed(e);
        }
    }
}
