package dev.ebb.cuda.driver;

import dev.ebb.cuda.CudaException;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.util.List;

/** NVRTC, the run-time compiler: compiles source text to machine code for one architecture. */
public final class Nvrtc {
    /**
     * No contraction, no flushing of subnormals, exact division and square roots, as on the CPU.
     */
    public static final List<String> OPTIONS =
            List.of(
                    "--std=c++17",
                    "--fmad=false",
                    "--ftz=false",
                    "--prec-div=true",
                    "--prec-sqrt=true");

    private final Native library;
    private final String architecture;

    /**
     * @param architecture such as {@code sm_90}
     */
    public Nvrtc(SymbolLookup symbols, String architecture) {
        library = new Native("libnvrtc", symbols, code -> "NVRTC error " + code);
        this.architecture = architecture;
    }

    public String version() {
        try (var arena = Arena.ofConfined()) {
            var to = arena.allocate(ValueLayout.JAVA_INT, 2);
            library.call("nvrtcVersion", to.address(), to.address() + 4);
            return to.get(ValueLayout.JAVA_INT, 0) + "." + to.get(ValueLayout.JAVA_INT, 4);
        }
    }

    /** The machine code of {@code source}; an error contains the compiler's log. */
    public byte[] compile(String name, String source) {
        try (var arena = Arena.ofConfined()) {
            var program = arena.allocate(ValueLayout.JAVA_LONG);
            library.call(
                    "nvrtcCreateProgram",
                    program.address(),
                    arena.allocateFrom(source).address(),
                    arena.allocateFrom(name + ".cu").address(),
                    0,
                    0L,
                    0L);
            long handle = program.get(ValueLayout.JAVA_LONG, 0);
            try {
                return compile(arena, name, handle);
            } finally {
                library.call("nvrtcDestroyProgram", program.address());
            }
        }
    }

    private byte[] compile(Arena arena, String name, long program) {
        int count = OPTIONS.size() + 1;
        var options = arena.allocate(ValueLayout.ADDRESS, count);
        for (int i = 0; i < OPTIONS.size(); i++) {
            options.setAtIndex(ValueLayout.ADDRESS, i, arena.allocateFrom(OPTIONS.get(i)));
        }
        options.setAtIndex(
                ValueLayout.ADDRESS,
                count - 1,
                arena.allocateFrom("--gpu-architecture=" + architecture));
        int code = library.code("nvrtcCompileProgram", program, count, options.address());
        if (code != 0) {
            throw new CudaException(
                    "kernel %s does not compile for %s (NVRTC error %s):\n%s"
                            .formatted(name, architecture, code, log(arena, program)));
        }
        return text(arena, program, "nvrtcGetCUBINSize", "nvrtcGetCUBIN")
                .toArray(ValueLayout.JAVA_BYTE);
    }

    private String log(Arena arena, long program) {
        return text(arena, program, "nvrtcGetProgramLogSize", "nvrtcGetProgramLog").getString(0);
    }

    private MemorySegment text(Arena arena, long program, String size, String content) {
        var bytes = arena.allocate(ValueLayout.JAVA_LONG);
        library.call(size, program, bytes.address());
        var to = arena.allocate(Math.max(1, bytes.get(ValueLayout.JAVA_LONG, 0)));
        library.call(content, program, to.address());
        return to;
    }
}
