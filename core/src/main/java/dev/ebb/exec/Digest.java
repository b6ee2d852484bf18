package dev.ebb.exec;

import dev.ebb.ir.Buffer;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;

/** A number that stands for the bits of some buffers: FNV-1a over words of eight bytes. */
final class Digest {
    private static final long PRIME = 0x100000001b3L;
    private static final long START = 0xcbf29ce484222325L;

    private Digest() {}

    static long of(List<Buffer> buffers) {
        long hash = START;
        for (Buffer b : buffers) hash = add(hash, b.segment(), b.bytes());
        return hash;
    }

    private static long add(long start, MemorySegment memory, long bytes) {
        long hash = start;
        long at = 0;
        for (; at + 8 <= bytes; at += 8)
            hash = (hash ^ memory.get(ValueLayout.JAVA_LONG_UNALIGNED, at)) * PRIME;
        for (; at < bytes; at++) hash = (hash ^ memory.get(ValueLayout.JAVA_BYTE, at)) * PRIME;
        return hash;
    }
}
