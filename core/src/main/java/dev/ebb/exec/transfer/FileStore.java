package dev.ebb.exec.transfer;

import dev.ebb.exec.EarlierFailure;
import dev.ebb.exec.Queue;
import dev.ebb.ir.Memory;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/** Blocks in a file, each with a checksum that is compared when it is read. */
record FileStore(BackingStore backing, Queue queue) implements PlaceStore {
    /** The most bytes moved by one call. */
    private static final int PIECE = 16 << 20;

    /** The most bytes per transfer of heap memory, which is copied through a buffer. */
    private static final int STAGED = 1 << 16;

    @Override
    public void write(Block block, Memory from, Queue.Event ready) throws IOException {
        var sum = new CRC32C();
        for (long done = 0; done < block.bytes(); ) {
            var piece = piece(block, from, done);
            if (!direct(from)) load(part(from, piece, done), MemorySegment.ofBuffer(piece));
            sum.update(piece.duplicate());
            while (piece.hasRemaining()) {
                int some = backing.write(piece, block.offset() + done);
                if (some <= 0) throw new IOException("the disk accepts no more bytes");
                done += some;
            }
        }
        block.written(sum.getValue());
    }

    @Override
    public void read(Block block, Memory to, Queue.Event ready) throws IOException {
        var sum = new CRC32C();
        for (long done = 0; done < block.bytes(); ) {
            long start = done;
            var piece = piece(block, to, done);
            var filled = piece.duplicate();
            while (piece.hasRemaining()) {
                int some = backing.read(piece, block.offset() + done);
                if (some <= 0) throw new IOException("the file ends too early");
                done += some;
            }
            if (!direct(to)) store(MemorySegment.ofBuffer(filled), part(to, filled, start));
            sum.update(filled);
        }
        if (sum.getValue() != block.checksum())
            throw new IOException("the bytes read are not the bytes that were written");
    }

    /** Whether the file system can read and write that memory itself. */
    private static boolean direct(Memory memory) {
        return memory instanceof Memory.Host(var segment) && segment.isNative();
    }

    /** Between two runs a value comes from an array, or goes to one: the host's memory. */
    private void load(Memory from, MemorySegment to) {
        if (from instanceof Memory.Host(var here)) to.copyFrom(here);
        else EarlierFailure.of(() -> queue.read(from, to));
    }

    private void store(MemorySegment from, Memory to) {
        if (to instanceof Memory.Host(var here)) here.copyFrom(from);
        else queue.write(from, to);
    }

    private static Memory part(Memory memory, ByteBuffer piece, long done) {
        return memory.slice(done, piece.remaining());
    }

    private static ByteBuffer piece(Block block, Memory memory, long done) {
        if (!direct(memory))
            return ByteBuffer.allocate((int) Math.min(STAGED, block.bytes() - done));
        long bytes = Math.min(PIECE, block.bytes() - done);
        return memory.segment().asSlice(done, bytes).asByteBuffer();
    }

    @Override
    public void close() throws IOException {
        backing.close();
    }
}
