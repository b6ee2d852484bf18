package dev.ebb.cuda;

import dev.ebb.ir.Buffer;
import dev.ebb.ir.DType;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Runs recipes on the processor: their text, compiled by the system's C++ compiler with {@code
 * host.h} in place of a card. Products by the library it does not run.
 */
final class HostRunner {
    private final Map<String, Integer> numbers = new LinkedHashMap<>();
    private final SymbolLookup library;
    private final Arena arena = Arena.ofAuto();

    /** Compiles all kernels of {@code recipes} into {@code folder}. */
    @SuppressWarnings("restricted") // the library was compiled a moment ago
    HostRunner(List<Recipe> recipes, Path folder) throws IOException, InterruptedException {
        var text = new StringBuilder(resource("host.h")).append(Prelude.TEXT);
        for (var recipe : recipes) {
            for (var action : recipe.actions()) {
                if (launch(action) instanceof Action.Launch l) add(text, l);
            }
        }
        var source = folder.resolve("kernels.cpp");
        var binary = folder.resolve("kernels.so");
        Files.writeString(source, text);
        var build =
                new ProcessBuilder(
                                "g++",
                                "-std=c++17",
                                "-O1",
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

    static String resource(String name) throws IOException {
        try (var in = HostRunner.class.getResourceAsStream(name)) {
            return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static Action launch(Action action) {
        return action instanceof Action.Unless u ? u.first() : action;
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
        text.append("}\nextern \"C\" void run").append(number);
        text.append("(long blocks, int threads, void** p) {\n    host_launch(blocks, threads, ");
        text.append(l.text().contains("sync") || l.text().contains("EBB_SHARED"))
                .append(", [=] { k")
                .append(number)
                .append("::");
        text.append(l.name()).append("(").append(arguments).append("); });\n}\n");
    }

    /** Runs a recipe; the fault buffer is checked afterwards. */
    void run(Recipe recipe, List<Buffer> in, List<Buffer> out) {
        var workspace = Case.buffer(DType.U8, recipe.workspaceBytes());
        workspace.segment().fill((byte) 0xff);
        var fault = Case.buffer(DType.I64, 2);
        for (var action : recipe.actions()) run(action, in, out, workspace, fault);
        if (fault.getLong(0) != 0) throw new IndexOutOfBoundsException("index " + fault.getLong(1));
    }

    @SuppressWarnings("restricted") // addresses of buffers that the caller holds
    private void run(
            Action action, List<Buffer> in, List<Buffer> out, Buffer workspace, Buffer fault) {
        switch (action) {
            case Action.Launch l -> {
                var pointers = arena.allocate(8L * Math.max(1, l.operands().size()), 8);
                for (int i = 0; i < l.operands().size(); i++) {
                    pointers.set(
                            ValueLayout.JAVA_LONG,
                            8L * i,
                            address(l.operands().get(i), in, out, workspace, fault));
                }
                var number = Objects.requireNonNull(numbers.get(l.text()));
                var call =
                        Linker.nativeLinker()
                                .downcallHandle(
                                        library.findOrThrow("run" + number),
                                        FunctionDescriptor.ofVoid(
                                                ValueLayout.JAVA_LONG,
                                                ValueLayout.JAVA_INT,
                                                ValueLayout.ADDRESS));
                try {
                    call.invokeExact(l.blocks(), l.threads(), pointers);
                } catch (Throwable e) {
                    throw new IllegalStateException(e);
                }
            }
            case Action.Zero z ->
                    MemorySegment.ofAddress(address(z.to(), in, out, workspace, fault))
                            .reinterpret(z.bytes())
                            .fill((byte) 0);
            case Action.Unless u -> run(u.first(), in, out, workspace, fault);
            case Action.Product p -> throw new UnsupportedOperationException(p.toString());
        }
    }

    private static long address(
            Operand operand, List<Buffer> in, List<Buffer> out, Buffer workspace, Buffer fault) {
        return switch (operand) {
            case Operand.In(int i) -> in.get(i).segment().address();
            case Operand.Out(int i) -> out.get(i).segment().address();
            case Operand.Work(long offset) -> workspace.segment().address() + offset;
            case Operand.Fault _ -> fault.segment().address();
            case Operand.Node _ -> 7;
        };
    }
}
