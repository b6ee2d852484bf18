package dev.ebb.cuda;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The works of a run while it is recorded as a graph of the driver's. Each begins after those that
 * it must wait for ({@link MemoryOrder}), and not after all that were recorded before it, so that a
 * card runs small works beside each other and the end of one beside the beginning of the next.
 */
final class RecordedRun {
    private final Streams streams;
    private final long stream;
    private final MemoryOrder order = new MemoryOrder();

    /** For each work, the nodes of the graph that end it. */
    private final List<long[]> ends = new ArrayList<>();

    private int launches;

    RecordedRun(Streams streams, long stream) {
        this.streams = streams;
        this.stream = stream;
    }

    /** How many launches and copies were recorded, these included. */
    int count(int more) {
        launches += more;
        return launches;
    }

    /** Records {@code work}, which reads and writes this memory. */
    void record(List<MemoryOrder.Span> reads, List<MemoryOrder.Span> writes, Runnable work) {
        var after = order.add(reads, writes);
        long[] nodes = after.stream().flatMapToLong(i -> Arrays.stream(ends.get(i))).toArray();
        streams.captureAfter(stream, nodes);
        work.run();
        ends.add(streams.captured(stream));
    }
}
