package dev.ebb.cuda;

/** The driver's functions for memory, streams, events and graphs of a GPU; handles are longs. */
public interface Streams {
    /** The free and the total bytes of GPU memory. */
    long[] memory();

    long allocate(long bytes);

    void free(long address);

    /** Allocates host memory that the GPU can read and write directly. */
    long allocatePinned(long bytes);

    void freePinned(long address);

    void toDevice(long to, long fromHost, long bytes, long stream);

    void toHost(long toHost, long from, long bytes, long stream);

    /** Copies between ranges that do not overlap. */
    void copy(long to, long from, long bytes, long stream);

    void zero(long to, long bytes, long stream);

    long stream();

    void destroyStream(long stream);

    /** Waits until all work on a stream has ended. */
    void drain(long stream);

    long event();

    void destroyEvent(long event);

    void record(long event, long stream);

    void waitForEvent(long event);

    /** An event without a time, for streams to wait for each other. */
    long mark();

    /** Makes {@code stream} wait for an event; the host does not wait. */
    void waitFor(long stream, long event);

    /** Milliseconds from one event to the next. */
    float elapsed(long start, long end);

    /** Starts to record work enqueued on the stream instead of running it. */
    void beginCapture(long stream);

    /** Ends a recording and returns its graph, which can be instantiated. */
    long endCapture(long stream);

    long instantiate(long graph);

    void launchGraph(long executable, long stream);

    void destroyGraph(long graph);

    void destroyExecutable(long executable);
}
