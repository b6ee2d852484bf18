package dev.ebb.spark;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;

import org.jspecify.annotations.Nullable;

/**
 * Chooses the buffer into which a connection's next bytes are read: while a message arrives, the
 * memory that waits for it, and otherwise a small buffer. Used only without encryption, when the
 * bytes on the wire are those of the message.
 */
final class DirectReads implements RecvByteBufAllocator {
    private static final int SMALL = 1 << 12;

    private volatile @Nullable IncomingMessage arrival;

    void begin(IncomingMessage message) {
        arrival = message;
    }

    // the interface and the handle it delegates to need the deprecated kind of handle
    @Override
    @SuppressWarnings("deprecation")
    public Handle newHandle() {
        return new DelegatingHandle(new FixedRecvByteBufAllocator(SMALL).newHandle()) {
            @Override
            public ByteBuf allocate(ByteBufAllocator buffers) {
                var message = arrival;
                if (message != null) {
                    var room = message.room();
                    if (room.capacity() > 0) return room;
                    arrival = null;
                }
                return super.allocate(buffers);
            }
        };
    }
}
