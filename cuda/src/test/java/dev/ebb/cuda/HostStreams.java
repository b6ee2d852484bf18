package dev.ebb.cuda;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * A simulated driver that works in host memory. Work on a stream is deferred until the host, or
 * another stream whose work is being run, waits for it; so code that forgets to wait reads old
 * bytes. A capture stores the work put on streams and runs it only when its graph is launched.
 */
final class HostStreams implements Streams {
    private final Map<Long, Arena> blocks = new HashMap<>();
    private final Map<Long, List<Runnable>> graphs = new HashMap<>();
    private final Map<Long, Long> reached = new HashMap<>();
    private final Set<Long> timed = new HashSet<>();
    private final Map<Long, Deque<Runnable>> waiting = new HashMap<>();

    /** The stream on which an event was last recorded, while it is pending. */
    private final Map<Long, Long> expected = new HashMap<>();

    private Optional<List<Runnable>> capture = Optional.empty();
    private long handles;
    private final long freeBytes;

    /** How often a graph was launched. */
    int launches;

    /**
     * The number of waits before all further ones fail, as after an error of the GPU; negative for
     * none.
     */
    int failing = -1;

    HostStreams(long freeBytes) {
        this.freeBytes = freeBytes;
    }

    void put(long stream, Runnable work) {
        if (capture.isPresent()) capture.get().add(work);
        else waiting.computeIfAbsent(stream, _ -> new ArrayDeque<>()).add(work);
    }

    boolean isCapturing() {
        return capture.isPresent();
    }

    /** The number of allocations, pinned ones included, and graphs that were not freed. */
    int held() {
        return blocks.size() + graphs.size() + reached.size();
    }

    @SuppressWarnings("restricted") // addresses that this has given
    static MemorySegment at(long address, long bytes) {
        return MemorySegment.ofAddress(address).reinterpret(bytes);
    }

    @Override
    public long[] memory() {
        return new long[] {freeBytes, freeBytes};
    }

    @Override
    public long allocate(long bytes) {
        requireNoCapture("an allocation");
        if (bytes > freeBytes) throw new CudaException("cuMemAlloc_v2 failed: 2, out of memory");
        long address = allocatePinned(bytes);
        at(address, bytes).fill((byte) 0xff);
        return address;
    }

    private void requireNoCapture(String what) {
        if (isCapturing()) throw new CudaException(what + " while a stream is captured");
    }

    @Override
    public void free(long address) {
        Objects.requireNonNull(blocks.remove(address)).close();
    }

    @Override
    public long allocatePinned(long bytes) {
        var arena = Arena.ofShared();
        long address = arena.allocate(bytes, 256).address();
        blocks.put(address, arena);
        return address;
    }

    @Override
    public void freePinned(long address) {
        free(address);
    }

    @Override
    public void toDevice(long to, long fromHost, long bytes, long stream) {
        move(to, fromHost, bytes, stream);
    }

    private void move(long to, long from, long bytes, long stream) {
        put(stream, () -> MemorySegment.copy(at(from, bytes), 0, at(to, bytes), 0, bytes));
    }

    @Override
    public void toHost(long toHost, long from, long bytes, long stream) {
        move(toHost, from, bytes, stream);
    }

    @Override
    public void copy(long to, long from, long bytes, long stream) {
        if (Math.abs(to - from) < bytes) throw new CudaException("a copy that overlaps itself");
        move(to, from, bytes, stream);
    }

    @Override
    public void zero(long to, long bytes, long stream) {
        put(stream, () -> at(to, bytes).fill((byte) 0));
    }

    @Override
    public long stream() {
        return ++handles;
    }

    @Override
    public void destroyStream(long stream) {}

    @Override
    public void drain(long stream) {
        requireNoCapture("a wait");
        if (failing >= 0 && failing-- == 0) {
            failing = 0;
            throw new CudaException("cuStreamSynchronize failed: 700 CUDA_ERROR_ILLEGAL_ADDRESS");
        }
        work(stream);
    }

    private void work(long stream) {
        var all = waiting.getOrDefault(stream, new ArrayDeque<>());
        while (!all.isEmpty()) all.remove().run();
    }

    @Override
    public long event() {
        long event = mark();
        timed.add(event);
        return event;
    }

    @Override
    public void destroyEvent(long event) {
        reached.remove(event);
    }

    @Override
    public void record(long event, long stream) {
        if (timed.contains(event)) requireNoCapture("an event that is to be timed");
        if (capture.isEmpty()) expected.put(event, stream);
        put(
                stream,
                () -> {
                    reached.put(event, System.nanoTime());
                    expected.remove(event);
                });
    }

    @Override
    public void waitForEvent(long event) {
        drain(expected.getOrDefault(event, 0L));
    }

    @Override
    public long mark() {
        reached.put(++handles, 0L);
        return handles;
    }

    @Override
    public void waitFor(long stream, long event) {
        put(
                stream,
                () -> {
                    var other = waiting.get(expected.getOrDefault(event, 0L));
                    while (other != null && expected.containsKey(event)) other.remove().run();
                });
    }

    @Override
    public float elapsed(long start, long end) {
        return (moment(end) - moment(start)) / 1e6f;
    }

    private long moment(long event) {
        return Objects.requireNonNull(reached.get(event));
    }

    @Override
    public void beginCapture(long stream) {
        capture = Optional.of(new ArrayList<>());
    }

    @Override
    public long endCapture(long stream) {
        graphs.put(++handles, capture.orElseThrow());
        capture = Optional.empty();
        return handles;
    }

    @Override
    public long instantiate(long graph) {
        graphs.put(++handles, Objects.requireNonNull(graphs.get(graph)));
        return handles;
    }

    @Override
    public void launchGraph(long executable, long stream) {
        launches++;
        Objects.requireNonNull(graphs.get(executable)).forEach(r -> put(stream, r));
    }

    @Override
    public void destroyGraph(long graph) {
        graphs.remove(graph);
    }

    @Override
    public void destroyExecutable(long executable) {
        graphs.remove(executable);
    }
}
