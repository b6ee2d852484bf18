package dev.ebb.exec.transfer;

import dev.ebb.exec.DiskException;
import dev.ebb.exec.Queue;
import dev.ebb.ir.Memory;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.zip.CRC32C;

/**
 * The file that values are offloaded to, and one thread that writes and reads it beside the
 * computation, in the order of the requests. Every block carries a checksum that is compared when
 * it is read. A transfer that failed is reported to the first caller that waits for it.
 */
final class OffloadFile implements AutoCloseable {
    /** The most bytes moved by one call. */
    private static final int PIECE = 16 << 20;

    /** The same for what is not off heap, and goes through a buffer. */
    private static final int STAGED = 1 << 16;

    private static final int IDLE = 0;
    private static final int UNDER_WAY = 1;
    private static final int FAILED = 2;

    private final BackingStore backing;
    private final Queue queue;
    private final String where;
    private final BlockingQueue<Transfer> waiting = new LinkedBlockingQueue<>();
    private final Thread thread;
    private volatile long highest;
    private int pending;
    private volatile boolean closed;

    OffloadFile(BackingStore backing, Queue queue, String where) {
        this.backing = backing;
        this.queue = queue;
        this.where = where;
        thread = Thread.ofPlatform().daemon().name("ebb-disk").unstarted(this::serve);
        thread.start();
    }

    /** What lies, or is to lie, at one place of the file, and its checksum. */
    static final class Block {
        private final String name;
        private final long offset;
        private final long bytes;
        private long checksum;
        private boolean written;

        Block(String name, long offset, long bytes) {
            this.name = name;
            this.offset = offset;
            this.bytes = bytes;
        }

        boolean written() {
            return written;
        }
    }

    /** A block on its way from or to memory. Made once, started in every run. */
    final class Transfer {
        private final Block block;
        private final Memory memory;
        private final boolean out;
        private int state = IDLE;
        private Throwable fault = new IOException("no fault");

        Transfer(Block block, Memory memory, boolean out) {
            this.block = block;
            this.memory = memory;
            this.out = out;
        }

        /** Begins; returns at once. */
        void start() {
            if (closed)
                throw new IllegalStateException(
                        "a program that is closed moves nothing to or from its disk");
            synchronized (this) {
                state = UNDER_WAY;
            }
            count(1);
            waiting.add(this);
        }

        /**
         * Returns when the bytes are where they should be. An interrupt ends the wait, not the
         * transfer: see {@link OffloadFile#idle}.
         */
        void await() {
            synchronized (this) {
                try {
                    while (state == UNDER_WAY) wait();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    throw interrupted();
                }
                if (state == FAILED) throw failure();
            }
        }

        /** The same, but an interrupt does not end the wait; it is kept for later. */
        void finish() {
            boolean interrupted = false;
            synchronized (this) {
                while (state == UNDER_WAY) {
                    try {
                        wait();
                    } catch (InterruptedException e) {
                        interrupted = true;
                    }
                }
            }
            if (interrupted) Thread.currentThread().interrupt();
            synchronized (this) {
                if (state == FAILED) throw failure();
            }
        }

        private DiskException failure() {
            var what = block.name + (out ? " could not be written" : " could not be read back");
            var why = fault instanceof IOException e ? reason(e) : fault.toString();
            return new DiskException(what, block.bytes, where, why, fault);
        }

        private void run() {
            int end = IDLE;
            try {
                if (out) write();
                else read();
            } catch (Throwable e) {
                // whoever waits is told, whatever it is: a thread that died would leave it waiting
                fault = e;
                end = FAILED;
            }
            synchronized (this) {
                state = end;
                notifyAll();
            }
            count(-1);
        }

        private void write() throws IOException {
            var sum = new CRC32C();
            for (long done = 0; done < block.bytes; ) {
                var piece = piece(done);
                if (!direct()) queue.read(part(piece, done), MemorySegment.ofBuffer(piece));
                sum.update(piece.duplicate());
                while (piece.hasRemaining()) {
                    int some = backing.write(piece, block.offset + done);
                    if (some <= 0)
                        throw new IOException("the disk takes no more: a write of nothing");
                    done += some;
                }
            }
            block.checksum = sum.getValue();
            block.written = true;
            highest = Math.max(highest, block.offset + block.bytes);
        }

        private void read() throws IOException {
            if (!block.written) throw new IOException("nothing has been written there");
            var sum = new CRC32C();
            for (long done = 0; done < block.bytes; ) {
                long start = done;
                var piece = piece(done);
                var filled = piece.duplicate();
                while (piece.hasRemaining()) {
                    int some = backing.read(piece, block.offset + done);
                    if (some <= 0) throw new IOException("the file ends too early");
                    done += some;
                }
                if (!direct()) queue.write(MemorySegment.ofBuffer(filled), part(filled, start));
                sum.update(filled);
            }
            if (sum.getValue() != block.checksum)
                throw new IOException("the bytes that came back are not those that were written");
        }

        /** Whether the file system can read and write that memory itself. */
        private boolean direct() {
            return memory instanceof Memory.Host(var segment) && segment.isNative();
        }

        private Memory part(ByteBuffer piece, long done) {
            return memory.slice(done, piece.remaining());
        }

        private ByteBuffer piece(long done) {
            if (!direct()) return ByteBuffer.allocate((int) Math.min(STAGED, block.bytes - done));
            long bytes = Math.min(PIECE, block.bytes - done);
            return memory.segment().asSlice(done, bytes).asByteBuffer();
        }
    }

    private static String reason(IOException e) {
        var message = e.getMessage();
        return message == null ? e.getClass().getSimpleName() : message;
    }

    /** Ends a run that moves values before it begins, where its thread has been interrupted. */
    static void heed() {
        if (Thread.currentThread().isInterrupted()) throw interrupted();
    }

    private static CancellationException interrupted() {
        return new CancellationException(
                "the thread of a run that moves values to and from a disk was interrupted; the run"
                        + " has ended without a result, and the next one begins anew");
    }

    private synchronized void count(int change) {
        pending += change;
        notifyAll();
    }

    /** Returns when nothing is under way, after a run that has failed. */
    synchronized void idle() {
        boolean interrupted = false;
        while (pending > 0) {
            try {
                wait();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) Thread.currentThread().interrupt();
    }

    /** The end of the last byte that has been written. */
    long highest() {
        return highest;
    }

    private void serve() {
        try {
            while (!closed) waiting.take().run();
        } catch (InterruptedException e) {
            // closed
        }
    }

    /** Ends the thread, whatever it is at, and closes the file. An interrupt is kept for later. */
    @Override
    public void close() {
        closed = true;
        thread.interrupt();
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) Thread.currentThread().interrupt();
        try {
            backing.close();
        } catch (IOException e) {
            throw new IllegalStateException("the file in " + where + " cannot be closed", e);
        }
    }
}
