package dev.ebb.cuda;

import dev.ebb.cuda.recipe.Action;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Kernels compiled by the system's C++ compiler, with {@code host.h} in place of CUDA's own
 * functions: they run on the processor.
 */
final class HostKernels {
    private final Map<String, Integer> numbers = new LinkedHashMap<>();
    private final SymbolLookup library;
    private final Arena arena = Arena.ofAuto();

    /** Compiles these kernels into {@code folder}. */
    @SuppressWarnings("restricted") // the library was compiled a moment ago
    HostKernels(Collection<Action.Launch> launches, Path folder)
            throws IOException, InterruptedException {
        var text = new StringBuilder(resource("host.h")).append(Prelude.TEXT);
        for (var l : launches) add(text, l);
        var source = folder.resolve("kernels.cpp");
        var binary = folder.resolve("kernels.so");
        Files.writeString(source, text);
        var build =
                new ProcessBuilder(
                                "g++",
                                "-std=c++17",
                                "-O0",
                                "-w",
                                "-ffp-contract=off",
                                "-shared",
                                "-fno-strict-aliasing",
                                "-fPIC",
                                "-o",
                                binary.toString(),
                                source.toString())
                        .redirectErrorStream(true)
                        .start();
        var log = new String(build.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (build.waitFor() != 0) throw new IllegalStateException("g++ refused:\n" + log);
        library = SymbolLookup.libraryLookup(binary, arena);
    }

    private static String resource(String name) throws IOException {
        try (var in = HostKernels.class.getResourceAsStream(name)) {
            return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private void add(StringBuilder text, Action.Launch l) {
        if (numbers.containsKey(l.text())) return;
        int number = numbers.size();
        numbers.put(l.text(), number);
        var arguments =
                IntStream.range(0, l.operands().size())
                        .mapToObj(i -> "p[" + i + "]")
                        .collect(Collectors.joining(", "));
        text.append("namespace k").append(number).append(" {\n");
        text.append(l.text().replace("extern \"C\" __global__", "static"));
        boolean fibers = l.text().contains("sync") || l.text().contains("EBB_SHARED");
        text.append("}\nstatic void body%d(void** p) { ".formatted(number));
        text.append("k%d::%s(%s); }\n".formatted(number, l.name(), arguments));
        text.append(
                "extern \"C\" void run%d(long blocks, int threads, void** p) {\n"
                        .formatted(number));
        text.append(
                "    host_launch(blocks, threads, %s, body%d, p);\n}\n".formatted(fibers, number));
    }

    /** Runs a kernel to its end. */
    @SuppressWarnings("restricted") // addresses of memory that the caller holds
    void run(Action.Launch l, List<Long> arguments) {
        try (var confined = Arena.ofConfined()) {
            var pointers = confined.allocate(8L * Math.max(1, arguments.size()), 8);
            for (int i = 0; i < arguments.size(); i++)
                pointers.set(ValueLayout.JAVA_LONG, 8L * i, arguments.get(i));
            var number = Objects.requireNonNull(numbers.get(l.text()));
            var call =
                    Linker.nativeLinker()
                            .downcallHandle(
                                    library.findOrThrow("run" + number),
                                    FunctionDescriptor.ofVoid(
                                            ValueLayout.JAVA_LONG,
                                            ValueLayout.JAVA_INT,
                                            ValueLayout.ADDRESS));
            call.invokeExact(l.blocks(), l.threads(), pointers);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }
}
