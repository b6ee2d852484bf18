package dev.ebb.exec.transfer;

import dev.ebb.exec.HostPool;
import dev.ebb.exec.Queue;
import dev.ebb.ir.Memory;

import java.io.IOException;
import java.util.Optional;

/**
 * Stores the bytes of one place. It is written by one thread; where the place is two-way another
 * one reads it, but never a block that is being written.
 */
interface PlaceStore extends AutoCloseable {

    /** The block at one offset of a place, for content that is or will be there. */
    final class Block {
        private final String name;
        private final long offset;
        private final long bytes;
        private long checksum;
        private volatile boolean written;

        Block(String name, long offset, long bytes) {
            this.name = name;
            this.offset = offset;
            this.bytes = bytes;
        }

        String name() {
            return name;
        }

        long offset() {
            return offset;
        }

        long bytes() {
            return bytes;
        }

        boolean overlaps(Block other) {
            return offset < other.offset + other.bytes && other.offset < offset + bytes;
        }

        boolean written() {
            return written;
        }

        long checksum() {
            return checksum;
        }

        /** The block has been written; {@code sum} is its checksum, if the store computes one. */
        void written(long sum) {
            checksum = sum;
            written = true;
        }
    }

    /** Writes {@code from} after the work before {@code ready} has run. */
    void write(Block block, Memory from, Queue.Event ready) throws IOException;

    /** Reads a block that was written, once the work before {@code ready} has run. */
    void read(Block block, Memory to, Queue.Event ready) throws IOException;

    /** Transfers that the device orders itself; empty if a thread performs them. */
    default Optional<HostPool.DeviceCopies> deviceCopies() {
        return Optional.empty();
    }

    @Override
    void close() throws IOException;

    /** A store in host memory, which needs no checksums. */
    static PlaceStore in(HostPool pool) {
        return new PlaceStore() {
            @Override
            public void write(Block block, Memory from, Queue.Event ready) {
                pool.store(from.slice(0, block.bytes), ready, block.offset);
                block.written(0);
            }

            @Override
            public void read(Block block, Memory to, Queue.Event ready) {
                pool.load(block.offset, to.slice(0, block.bytes), ready);
            }

            @Override
            public Optional<HostPool.DeviceCopies> deviceCopies() {
                return pool.deviceCopies();
            }

            @Override
            public void close() {
                pool.close();
            }
        };
    }
}
