package dev.ebb.spark;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;

import org.jspecify.annotations.Nullable;

/**
 * Where a connection's next bytes are read to: while a message comes, the memory that waits for it,
 * and otherwise a small buffer. Only where bytes come as they were sent: not with encryption.
 */
final class DirectReads implements RecvByteBufAllocator {
    private static final int SMALL = 1 << 12;

    private volatile @Nullable Arrival arrival;

    void begin(Arrival message) {
        arrival = message;
    }

    // what the interface asks for, and what its delegating handle is, is the older kind of handle
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
