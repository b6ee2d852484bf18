package dev.ebb.cuda.driver;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;

/**
 * The launch of a kernel on a stream: the driver's {@code CUlaunchConfig} with one attribute, and
 * the arguments. The attribute lets the kernel's blocks start while those of the kernel before it
 * on the stream are still running; the kernel itself waits for them before it reads or writes
 * memory ({@code await_previous} in {@code prelude.cu}). The time from one kernel to the next is
 * then shorter.
 */
public final class Launch {
    private static final int CONFIG_BYTES = 56;
    private static final int ATTRIBUTE_BYTES = 72;
    private static final int PROGRAMMATIC_STREAM_SERIALIZATION = 6;

    private final long function;
    private final MemorySegment config;
    private final MemorySegment arguments;

    /**
     * @param overlaps whether the kernel may start before the end of the kernel before it, which
     *     GPUs from compute capability 9.0 on support
     * @param arguments of eight bytes each
     */
    public Launch(
            long function,
            int blocks,
            int threads,
            int sharedBytes,
            boolean overlaps,
            long stream,
            List<Long> arguments) {
        this.function = function;
        this.arguments = pointers(arguments);
        config = Arena.ofAuto().allocate(CONFIG_BYTES + ATTRIBUTE_BYTES, 8);
        int[] sizes = {blocks, 1, 1, threads, 1, 1, sharedBytes};
        for (int i = 0; i < sizes.length; i++) config.setAtIndex(ValueLayout.JAVA_INT, i, sizes[i]);
        config.set(ValueLayout.JAVA_LONG, 32, stream);
        config.set(ValueLayout.JAVA_LONG, 40, config.address() + CONFIG_BYTES);
        config.set(ValueLayout.JAVA_INT, 48, overlaps ? 1 : 0);
        config.set(ValueLayout.JAVA_INT, CONFIG_BYTES, PROGRAMMATIC_STREAM_SERIALIZATION);
        config.set(ValueLayout.JAVA_INT, CONFIG_BYTES + 8, 1);
    }

    /** A pointer to each argument, followed by the arguments themselves. */
    private static MemorySegment pointers(List<Long> arguments) {
        int n = arguments.size();
        var both = Arena.ofAuto().allocate(ValueLayout.JAVA_LONG, Math.max(1, 2L * n));
        for (int i = 0; i < n; i++) {
            both.setAtIndex(ValueLayout.JAVA_LONG, i, both.address() + 8L * (n + i));
            both.setAtIndex(ValueLayout.JAVA_LONG, (long) n + i, arguments.get(i));
        }
        return both;
    }

    void enqueue(Native library) {
        library.call("cuLaunchKernelEx", config.address(), function, arguments.address(), 0L);
    }
}
