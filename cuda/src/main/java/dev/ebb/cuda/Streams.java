package dev.ebb.cuda;

/** Memory, streams, events and graphs of a card, as the driver has them; handles are longs. */
public interface Streams {
    /** Free bytes and all bytes of the card. */
    long[] memory();

    long allocate(long bytes);

    void free(long address);

    /** Host memory that the card reads and writes by itself. */
    long allocatePinned(long bytes);

    void freePinned(long address);

    void toDevice(long to, long fromHost, long bytes, long stream);

    void toHost(long toHost, long from, long bytes, long stream);

    /** Between places that do not overlap. */
    void copy(long to, long from, long bytes, long stream);

    void zero(long to, long bytes, long stream);

    long stream();

    void destroyStream(long stream);

    /** Waits until all work of a stream has run. */
    void drain(long stream);

    long event();

    void destroyEvent(long event);

    void record(long event, long stream);

    void waitForEvent(long event);

    /** An event that no time is read from: what streams wait for each other by. */
    long mark();

    /** Lets {@code stream} go on only when an event has come; the host goes on. */
    void waitFor(long stream, long event);

    /** Milliseconds from one event to the next. */
    float elapsed(long start, long end);

    /** From now on what is put onto the stream is recorded and not run. */
    void beginCapture(long stream);

    /** The nodes of the graph that what is recorded next on the stream would wait for. */
    long[] captured(long stream);

    /** Lets what is recorded next on the stream wait for these nodes alone. */
    void captureAfter(long stream, long[] nodes);

    /** Ends a recording; the graph can be instantiated. */
    long endCapture(long stream);

    long instantiate(long graph);

    void launchGraph(long executable, long stream);

    void destroyGraph(long graph);

    void destroyExecutable(long executable);
}
