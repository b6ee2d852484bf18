package dev.ebb.nn.parallel;

import dev.ebb.ir.DType;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;

/**
 * Collectives on buffers in host memory. Every rank sends every other rank its part directly: each
 * byte goes over the network once, as in a ring, with one latency. A rank adds the parts of all
 * ranks in the order of {@link TreeSum} over ranks, so the bits do not depend on where a rank runs
 * or in which order messages arrive.
 */
final class HostCollectives {
    /** The most bytes of received parts in the workspace at once, if parts are small enough. */
    private static final long ROUND = 4 << 20;

    private static final long LEAST_SLOT = 1 << 16;
    private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;
    private static final ValueLayout.OfDouble DOUBLE = ValueLayout.JAVA_DOUBLE_UNALIGNED;

    private HostCollectives() {}

    /** The workspace for adding parts of {@code bytes} bytes from {@code size} ranks. */
    static long workspaceBytes(int size, long bytes) {
        return (size - 1) * slot(size, bytes);
    }

    private static long slot(int size, long bytes) {
        if (size == 1) return 0;
        return Math.min(bytes, Math.max(LEAST_SLOT, ROUND / (size - 1) / 8 * 8));
    }

    /** Part {@code rank} of the sum of all ranks' {@code in}, which have equal parts. */
    static void reduceScatter(
            Group group, DType dtype, MemorySegment in, MemorySegment out, MemorySegment space) {
        long part = out.byteSize();
        reduce(group, dtype, in, part, part, out, space);
    }

    /**
     * Adds part {@code rank} of all ranks' {@code in} into {@code out}. Parts start {@code stride}
     * bytes apart; the last ones end where {@code in} ends.
     */
    private static void reduce(
            Group group,
            DType dtype,
            MemorySegment in,
            long stride,
            long own,
            MemorySegment out,
            MemorySegment space) {
        int size = group.size();
        long slot = slot(size, stride);
        if (size == 1 || slot == 0) {
            out.asSlice(0, own).copyFrom(in.asSlice(0, own));
            return;
        }
        for (long at = 0; at < stride; at += slot) {
            var transfers = new ArrayList<Group.Transfer>();
            long mine = Math.clamp(own - at, 0, slot);
            var terms = new MemorySegment[size];
            int next = 0;
            for (int other = 0; other < size; other++) {
                if (other == group.rank()) {
                    terms[other] = out.asSlice(Math.min(at, own), mine);
                    if (mine > 0) terms[other].copyFrom(in.asSlice(other * stride + at, mine));
                    continue;
                }
                terms[other] = space.asSlice(next++ * slot, mine);
                if (mine > 0) transfers.add(group.receive(other, terms[other]));
                long theirs = Math.clamp(length(in, stride, other) - at, 0, slot);
                if (theirs > 0)
                    transfers.add(group.send(other, in.asSlice(other * stride + at, theirs)));
            }
            transfers.forEach(Group.Transfer::await);
            for (int step = 1; step < size; step *= 2) {
                for (int i = 0; i + step < size; i += 2 * step)
                    add(dtype, terms[i], terms[i + step]);
            }
            if (group.rank() != 0) terms[group.rank()].copyFrom(terms[0]);
        }
    }

    /** The bytes of part {@code number}; parts at the end may have fewer, or none. */
    private static long length(MemorySegment all, long stride, int number) {
        return Math.clamp(all.byteSize() - number * stride, 0, stride);
    }

    /**
     * Sends part r of {@code in} to rank r; {@code out} gets the received parts in the order of
     * ranks.
     */
    static void allToAll(Group group, MemorySegment in, MemorySegment out) {
        long part = in.byteSize() / group.size();
        var transfers = new ArrayList<Group.Transfer>();
        for (int other = 0; other < group.size(); other++) {
            var from = in.asSlice(other * part, part);
            var to = out.asSlice(other * part, part);
            if (other == group.rank()) {
                to.copyFrom(from);
            } else {
                transfers.add(group.receive(other, to));
                transfers.add(group.send(other, from));
            }
        }
        transfers.forEach(Group.Transfer::await);
    }

    /** All ranks' parts, concatenated. */
    static void allGather(Group group, MemorySegment in, MemorySegment out) {
        out.asSlice(group.rank() * in.byteSize(), in.byteSize()).copyFrom(in);
        gather(group, out, in.byteSize());
    }

    /** Completes {@code all}, of which this rank has its own part. */
    private static void gather(Group group, MemorySegment all, long stride) {
        var transfers = new ArrayList<Group.Transfer>();
        long own = length(all, stride, group.rank());
        for (int other = 0; other < group.size(); other++) {
            if (other == group.rank()) continue;
            long theirs = length(all, stride, other);
            if (theirs > 0)
                transfers.add(group.receive(other, all.asSlice(other * stride, theirs)));
            if (own > 0) transfers.add(group.send(other, all.asSlice(group.rank() * stride, own)));
        }
        transfers.forEach(Group.Transfer::await);
    }

    /**
     * The sum of all ranks' {@code in}, on every rank: each adds one part and sends it to the
     * others.
     */
    static void allReduce(
            Group group, DType dtype, MemorySegment in, MemorySegment out, MemorySegment space) {
        long stride = stride(group.size(), dtype, in.byteSize());
        long own = length(in, stride, group.rank());
        long at = Math.min(group.rank() * stride, in.byteSize());
        reduce(group, dtype, in, stride, own, out.asSlice(at, own), space);
        gather(group, out, stride);
    }

    /** The bytes of one part if {@code bytes} are divided among {@code size} ranks. */
    static long stride(int size, DType dtype, long bytes) {
        return dtype.bytes(Math.ceilDiv(bytes / dtype.bytes(1), size));
    }

    /** Rank {@code root}'s bytes, on every rank. */
    static void broadcast(Group group, int root, MemorySegment in, MemorySegment out) {
        if (group.rank() != root) {
            group.receive(root, out).await();
            return;
        }
        out.copyFrom(in);
        var transfers = new ArrayList<Group.Transfer>();
        for (int other = 0; other < group.size(); other++) {
            if (other != root) transfers.add(group.send(other, in));
        }
        transfers.forEach(Group.Transfer::await);
    }

    /** Adds {@code right} to {@code left}, element by element. */
    private static void add(DType dtype, MemorySegment left, MemorySegment right) {
        if (dtype == DType.F64) {
            for (long i = 0; i < left.byteSize(); i += 8)
                left.set(DOUBLE, i, left.get(DOUBLE, i) + right.get(DOUBLE, i));
        } else {
            for (long i = 0; i < left.byteSize(); i += 4)
                left.set(FLOAT, i, left.get(FLOAT, i) + right.get(FLOAT, i));
        }
    }
}
