package dev.ebb.cuda.driver;

import dev.ebb.cuda.Kernels;
import dev.ebb.cuda.Streams;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;

/** The CUDA driver API: devices, memory, streams, events, modules, launches and graphs. */
public final class Driver implements Streams, Kernels.Loader {
    /** Attributes of a device, by the driver's numbers. */
    public enum Attribute {
        MULTIPROCESSORS(16),
        SHARED_PER_BLOCK(97),
        MAJOR(75),
        MINOR(76),
        L2_BYTES(38);

        private final int number;

        Attribute(int number) {
            this.number = number;
        }
    }

    private static final int MAX_DYNAMIC_SHARED = 8;
    private static final int CAPTURE_THREAD_LOCAL = 1;
    private static final int NON_BLOCKING = 1;
    private static final int WITHOUT_TIME = 2;

    private final Native library;

    public Driver(SymbolLookup symbols) {
        library = new Native("libcuda", symbols, this::describe);
        library.call("cuInit", 0);
    }

    private String describe(int code) {
        try (var arena = Arena.ofConfined()) {
            var text = arena.allocate(ValueLayout.ADDRESS);
            return code
                    + " "
                    + word("cuGetErrorName", code, text)
                    + ", "
                    + word("cuGetErrorString", code, text);
        }
    }

    @SuppressWarnings("restricted") // the driver's texts end with a zero byte
    private String word(String function, int code, MemorySegment to) {
        if (library.code(function, code, to.address()) != 0) return "unknown";
        return to.get(ValueLayout.ADDRESS, 0).reinterpret(1024).getString(0);
    }

    private int integer(String function, Object... rest) {
        try (var arena = Arena.ofConfined()) {
            var to = arena.allocate(ValueLayout.JAVA_INT);
            library.call(function, first(to, rest));
            return to.get(ValueLayout.JAVA_INT, 0);
        }
    }

    private long handle(String function, Object... rest) {
        try (var arena = Arena.ofConfined()) {
            var to = arena.allocate(ValueLayout.JAVA_LONG);
            library.call(function, first(to, rest));
            return to.get(ValueLayout.JAVA_LONG, 0);
        }
    }

    private static Object[] first(MemorySegment to, Object[] rest) {
        var all = new Object[rest.length + 1];
        all[0] = to.address();
        System.arraycopy(rest, 0, all, 1, rest.length);
        return all;
    }

    public int version() {
        return integer("cuDriverGetVersion");
    }

    public int devices() {
        return integer("cuDeviceGetCount");
    }

    public int device(int ordinal) {
        return integer("cuDeviceGet", ordinal);
    }

    public int attribute(Attribute attribute, int device) {
        return integer("cuDeviceGetAttribute", attribute.number, device);
    }

    public String name(int device) {
        try (var arena = Arena.ofConfined()) {
            var text = arena.allocate(256);
            library.call("cuDeviceGetName", text.address(), 256, device);
            return text.getString(0);
        }
    }

    /** The total bytes of GPU memory; needs no context. */
    public long totalMemory(int device) {
        return handle("cuDeviceTotalMem_v2", device);
    }

    public long retainContext(int device) {
        return handle("cuDevicePrimaryCtxRetain", device);
    }

    public void releaseContext(int device) {
        library.call("cuDevicePrimaryCtxRelease_v2", device);
    }

    /** Makes a context current for this thread, as every thread that calls the driver needs. */
    public void enter(long context) {
        library.call("cuCtxSetCurrent", context);
    }

    @Override
    public long[] memory() {
        try (var arena = Arena.ofConfined()) {
            var to = arena.allocate(ValueLayout.JAVA_LONG, 2);
            library.call("cuMemGetInfo_v2", to.address(), to.address() + 8);
            return to.toArray(ValueLayout.JAVA_LONG);
        }
    }

    @Override
    public long allocate(long bytes) {
        return handle("cuMemAlloc_v2", bytes);
    }

    @Override
    public void free(long address) {
        library.call("cuMemFree_v2", address);
    }

    @Override
    public long allocatePinned(long bytes) {
        return handle("cuMemHostAlloc", bytes, 0);
    }

    @Override
    public void freePinned(long address) {
        library.call("cuMemFreeHost", address);
    }

    @Override
    public void toDevice(long to, long fromHost, long bytes, long stream) {
        library.call("cuMemcpyHtoDAsync_v2", to, fromHost, bytes, stream);
    }

    @Override
    public void toHost(long toHost, long from, long bytes, long stream) {
        library.call("cuMemcpyDtoHAsync_v2", toHost, from, bytes, stream);
    }

    @Override
    public void copy(long to, long from, long bytes, long stream) {
        library.call("cuMemcpyDtoDAsync_v2", to, from, bytes, stream);
    }

    @Override
    public void zero(long to, long bytes, long stream) {
        library.call("cuMemsetD8Async", to, 0, bytes, stream);
    }

    @Override
    public long stream() {
        return handle("cuStreamCreate", NON_BLOCKING);
    }

    @Override
    public void destroyStream(long stream) {
        library.call("cuStreamDestroy_v2", stream);
    }

    @Override
    public void drain(long stream) {
        library.call("cuStreamSynchronize", stream);
    }

    @Override
    public long mark() {
        return handle("cuEventCreate", WITHOUT_TIME);
    }

    @Override
    public void waitFor(long stream, long event) {
        library.call("cuStreamWaitEvent", stream, event, 0);
    }

    @Override
    public long event() {
        return handle("cuEventCreate", 0);
    }

    @Override
    public void destroyEvent(long event) {
        library.call("cuEventDestroy_v2", event);
    }

    @Override
    public void record(long event, long stream) {
        library.call("cuEventRecord", event, stream);
    }

    @Override
    public void waitForEvent(long event) {
        library.call("cuEventSynchronize", event);
    }

    @Override
    public float elapsed(long start, long end) {
        try (var arena = Arena.ofConfined()) {
            var to = arena.allocate(ValueLayout.JAVA_FLOAT);
            var name =
                    library.has("cuEventElapsedTime_v2")
                            ? "cuEventElapsedTime_v2"
                            : "cuEventElapsedTime";
            library.call(name, to.address(), start, end);
            return to.get(ValueLayout.JAVA_FLOAT, 0);
        }
    }

    @Override
    public long module(MemorySegment cubin) {
        return handle("cuModuleLoadData", cubin.address());
    }

    @Override
    public long function(long module, String name) {
        try (var arena = Arena.ofConfined()) {
            return handle("cuModuleGetFunction", module, arena.allocateFrom(name).address());
        }
    }

    @Override
    public void allowShared(long function, int bytes) {
        library.call("cuFuncSetAttribute", function, MAX_DYNAMIC_SHARED, bytes);
    }

    /** Enqueues a kernel. */
    public void launch(Launch launch) {
        launch.enqueue(library);
    }

    @Override
    public void beginCapture(long stream) {
        library.call("cuStreamBeginCapture_v2", stream, CAPTURE_THREAD_LOCAL);
    }

    @Override
    public long endCapture(long stream) {
        try (var arena = Arena.ofConfined()) {
            var to = arena.allocate(ValueLayout.JAVA_LONG);
            library.call("cuStreamEndCapture", stream, to.address());
            return to.get(ValueLayout.JAVA_LONG, 0);
        }
    }

    @Override
    public long instantiate(long graph) {
        return handle("cuGraphInstantiateWithFlags", graph, 0L);
    }

    @Override
    public void launchGraph(long executable, long stream) {
        library.call("cuGraphLaunch", executable, stream);
    }

    @Override
    public void destroyGraph(long graph) {
        library.call("cuGraphDestroy", graph);
    }

    @Override
    public void destroyExecutable(long executable) {
        library.call("cuGraphExecDestroy", executable);
    }
}
