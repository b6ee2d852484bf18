package dev.ebb.spark;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

import org.apache.spark.network.client.StreamCallbackWithID;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.function.Consumer;

/**
 * An incoming message, received into the memory that waits for it. Without encryption the socket is
 * read directly into that memory ({@link DirectReads}); with it, the decrypted bytes are copied
 * there. Used only by the thread of its connection.
 */
final class IncomingMessage implements StreamCallbackWithID {
    private final String name;
    private final SegmentBuffers into;
    private final MemorySegment memory;
    private final Consumer<String> end;
    private final ByteBuf room;
    private long at;

    /**
     * @param end called at the end: with an empty text if the message is complete, else with the
     *     reason
     */
    IncomingMessage(String name, MemorySegment into, Consumer<String> end) {
        this.name = name;
        this.into = new SegmentBuffers(into);
        memory = into;
        this.end = end;
        room =
                into.isNative() && this.into.buffers().length == 1
                        ? Unpooled.wrappedBuffer(this.into.from(0, Integer.MAX_VALUE)).clear()
                        : Unpooled.EMPTY_BUFFER;
    }

    /** The memory for the rest of the message; empty if the message is complete. */
    ByteBuf room() {
        if (room.capacity() == 0 || at == into.bytes()) return Unpooled.EMPTY_BUFFER;
        return room.setIndex((int) at, (int) at).retain();
    }

    @Override
    public String getID() {
        return name;
    }

    @Override
    public void onData(String id, ByteBuffer bytes) {
        if (at + bytes.remaining() > into.bytes()) {
            throw new IllegalArgumentException(
                    name + " is longer than the " + into.bytes() + " bytes that were awaited");
        }
        int count = bytes.remaining();
        if (!liesThere(bytes)) into.put(at, bytes);
        at += count;
    }

    /** Whether these bytes were read directly into the memory of the message. */
    private boolean liesThere(ByteBuffer bytes) {
        return bytes.isDirect()
                && memory.isNative()
                && MemorySegment.ofBuffer(bytes).address() == memory.address() + at;
    }

    @Override
    public void onComplete(String id) {
        end.accept(
                at == into.bytes() ? "" : at + " bytes came and " + into.bytes() + " were awaited");
    }

    @Override
    public void onFailure(String id, Throwable cause) {
        end.accept(String.valueOf(cause.getMessage()));
    }
}
