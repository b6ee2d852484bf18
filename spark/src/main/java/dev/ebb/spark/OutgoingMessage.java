package dev.ebb.spark;

import io.netty.buffer.Unpooled;
import io.netty.channel.FileRegion;
import io.netty.util.AbstractReferenceCounted;

import org.apache.spark.network.buffer.ManagedBuffer;

import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;

/** An outgoing message, written to the socket directly from planned memory. */
final class OutgoingMessage extends ManagedBuffer {
    /** The most bytes passed to a socket at once. */
    private static final int CHUNK = 1 << 20;

    private final SegmentBuffers windows;

    OutgoingMessage(MemorySegment data) {
        windows = new SegmentBuffers(data);
    }

    @Override
    public long size() {
        return windows.bytes();
    }

    @Override
    public ByteBuffer nioByteBuffer() {
        throw new UnsupportedOperationException("a message is streamed");
    }

    @Override
    public InputStream createInputStream() {
        throw new UnsupportedOperationException("a message is streamed");
    }

    @Override
    public ManagedBuffer retain() {
        return this;
    }

    @Override
    public ManagedBuffer release() {
        return this;
    }

    @Override
    public Object convertToNetty() {
        return new Region();
    }

    @Override
    public Object convertToNettyForSsl() {
        return Unpooled.wrappedBuffer(windows.buffers());
    }

    /** The source from which the transport takes the next bytes. */
    private final class Region extends AbstractReferenceCounted implements FileRegion {
        private long written;

        @Override
        public long position() {
            return 0;
        }

        @Override
        @Deprecated
        public long transfered() {
            return written;
        }

        @Override
        public long transferred() {
            return written;
        }

        @Override
        public long count() {
            return windows.bytes();
        }

        @Override
        public long transferTo(WritableByteChannel target, long position) throws IOException {
            if (position == windows.bytes()) return 0;
            int count = target.write(windows.from(position, CHUNK));
            written += count;
            return count;
        }

        @Override
        public FileRegion retain() {
            super.retain();
            return this;
        }

        @Override
        public FileRegion retain(int more) {
            super.retain(more);
            return this;
        }

        @Override
        public FileRegion touch() {
            return this;
        }

        @Override
        public FileRegion touch(Object hint) {
            return this;
        }

        @Override
        protected void deallocate() {}
    }
}
