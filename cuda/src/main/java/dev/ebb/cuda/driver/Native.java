package dev.ebb.cuda.driver;

import dev.ebb.cuda.CudaException;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodType;
import java.util.HashMap;
import java.util.Map;
import java.util.function.IntFunction;

/**
 * The functions of one library, looked up by name at their first call. All of them return an int,
 * zero for success; any other value becomes a {@link CudaException}.
 */
final class Native {
    static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
    static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;
    static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT;

    private final String library;
    private final SymbolLookup symbols;
    private final IntFunction<String> describe;
    private final Map<String, MethodHandle> known = new HashMap<>();

    /**
     * @param describe gives the name and the meaning of an error code
     */
    Native(String library, SymbolLookup symbols, IntFunction<String> describe) {
        this.library = library;
        this.symbols = symbols;
        this.describe = describe;
    }

    /** The handle of a function, looked up once; pointers and handles are passed as longs. */
    @SuppressWarnings("restricted") // native code is what this module is for
    private synchronized MethodHandle handle(String name, Object[] arguments) {
        return known.computeIfAbsent(
                name + arguments.length,
                _ -> {
                    var address =
                            symbols.find(name)
                                    .orElseThrow(
                                            () ->
                                                    new CudaException(
                                                            ("%s has no function %s; it is older"
                                                                 + " than this program needs:"
                                                                 + " install a newer one")
                                                                    .formatted(library, name)));
                    var layouts = new MemoryLayout[arguments.length];
                    for (int i = 0; i < arguments.length; i++) layouts[i] = layout(arguments[i]);
                    return Linker.nativeLinker()
                            .downcallHandle(address, FunctionDescriptor.of(INT, layouts))
                            .asSpreader(Object[].class, arguments.length)
                            .asType(MethodType.methodType(int.class, Object[].class));
                });
    }

    private static MemoryLayout layout(Object argument) {
        return switch (argument) {
            case Integer _ -> INT;
            case Long _ -> LONG;
            case Float _ -> FLOAT;
            default -> throw new IllegalArgumentException("an argument of " + argument.getClass());
        };
    }

    boolean has(String name) {
        return symbols.find(name).isPresent();
    }

    /** Calls {@code name}; pointers are passed as their addresses, sizes and handles as longs. */
    void call(String name, Object... arguments) {
        int code = code(name, arguments);
        if (code != 0) throw new CudaException(name + " failed: " + describe.apply(code));
    }

    /** The same, for calls whose error code is a regular answer; returns the code. */
    int code(String name, Object... arguments) {
        try {
            return (int) handle(name, arguments).invokeExact(arguments);
        } catch (CudaException e) {
            throw e;
        } catch (Throwable e) {
            throw new CudaException(name + " could not be called", e);
        }
    }
}
