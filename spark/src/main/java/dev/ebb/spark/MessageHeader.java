package dev.ebb.spark;

import java.nio.ByteBuffer;

/**
 * The header of a message between two ranks. It precedes the message's bytes; without bytes, it
 * announces that the receiver is ready.
 *
 * @param session distinguishes the ranks of one attempt of a stage from those of another
 * @param from the sending rank
 * @param number the number of the message between the two ranks in its direction, from zero on
 */
record MessageHeader(long session, int from, long number, long bytes) {
    private static final int LENGTH = 28;

    ByteBuffer encoded() {
        var buffer = ByteBuffer.allocate(LENGTH);
        buffer.putLong(session).putInt(from).putLong(number).putLong(bytes).flip();
        return buffer;
    }

    static MessageHeader decoded(ByteBuffer buffer) {
        if (buffer.remaining() != LENGTH)
            throw new IllegalArgumentException("a header of " + buffer.remaining() + " bytes");
        return new MessageHeader(
                buffer.getLong(), buffer.getInt(), buffer.getLong(), buffer.getLong());
    }
}
