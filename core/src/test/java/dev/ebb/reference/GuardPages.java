package dev.ebb.reference;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * Pages of Linux between two that the processor lets nobody read or write, so that not even a load
 * past the end goes unseen: it ends the process.
 *
 * @param memory the pages between, of which as many bytes as were asked for lie at the end
 */
@SuppressWarnings("restricted") // calls of the system are what this is made of
record GuardPages(MemorySegment memory) {
    private static final long PAGE = 4096;
    private static final int NO_ACCESS = 0;
    private static final int READ_AND_WRITE = 3;
    private static final int PRIVATE_ANONYMOUS = 0x22;

    private static final MethodHandle MMAP =
            call(
                    "mmap",
                    FunctionDescriptor.of(
                            JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_INT,
                            JAVA_LONG));
    private static final MethodHandle MPROTECT =
            call("mprotect", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT));
    private static final MethodHandle MUNMAP =
            call("munmap", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_LONG));

    private static MethodHandle call(String name, FunctionDescriptor type) {
        var linker = Linker.nativeLinker();
        return linker.downcallHandle(linker.defaultLookup().findOrThrow(name), type);
    }

    static GuardPages map(long bytes) {
        long inner = Math.max(PAGE, (bytes + PAGE - 1) & -PAGE);
        try {
            long all = inner + 2 * PAGE;
            long at = (long) MMAP.invokeExact(0L, all, NO_ACCESS, PRIVATE_ANONYMOUS, -1, 0L);
            if (at == -1) throw new AssertionError("mmap of " + all + " bytes failed");
            int code = (int) MPROTECT.invokeExact(at + PAGE, inner, READ_AND_WRITE);
            if (code != 0) throw new AssertionError("mprotect failed");
            return new GuardPages(MemorySegment.ofAddress(at + PAGE).reinterpret(inner));
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }

    void close() {
        var first = MemorySegment.ofAddress(memory.address() - PAGE);
        try {
            int code = (int) MUNMAP.invokeExact(first, memory.byteSize() + 2 * PAGE);
            if (code != 0) throw new AssertionError("munmap failed");
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }
}
