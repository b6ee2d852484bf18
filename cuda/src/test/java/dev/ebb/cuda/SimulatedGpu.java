package dev.ebb.cuda;

import dev.ebb.cuda.driver.Gemm;
import dev.ebb.cuda.recipe.Action;
import dev.ebb.ir.Buffer;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;

/** A simulated GPU: its kernels run on the processor, its products as plain loops. */
final class SimulatedGpu implements Gpu {
    private final Path folder;
    private final Map<String, HostKernels> kernels = new HashMap<>();
    private final HostStreams streams = new HostStreams(1L << 28);
    private int builds;

    SimulatedGpu(Path folder) {
        this.folder = folder;
    }

    @Override
    public void enter() {}

    @Override
    public HostStreams streams() {
        return streams;
    }

    @Override
    public String describe() {
        return "no card";
    }

    @Override
    public String signature() {
        return "no card";
    }

    @Override
    public long usedBytes() {
        return 0;
    }

    /** How often the compiler was called. */
    int builds() {
        return builds;
    }

    @Override
    public void compile(Collection<Action.Launch> launches) {
        var missing = new LinkedHashMap<String, Action.Launch>();
        for (var l : launches) {
            if (!kernels.containsKey(l.text())) missing.put(l.text(), l);
        }
        if (missing.isEmpty()) return;
        try {
            var own = Files.createDirectories(folder.resolve("build" + builds++));
            var made = new HostKernels(missing.values(), own);
            missing.keySet().forEach(text -> kernels.put(text, made));
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public Runnable launch(Action.Launch launch, List<Long> arguments, long stream) {
        compile(List.of(launch));
        var own = Objects.requireNonNull(kernels.get(launch.text()));
        return () -> streams.put(stream, () -> own.run(launch, arguments));
    }

    @Override
    public Runnable product(
            Gemm g, long a, long b, long c, OptionalLong bias, long workspace, long stream) {
        return () -> streams.put(stream, () -> product(g, a, b, c, bias));
    }

    private static Buffer buffer(dev.ebb.ir.DType type, long address) {
        long bytes = 1L << 24;
        return new Buffer(type, bytes / type.bytes(1), HostStreams.at(address, bytes));
    }

    /** A product of matrices at these addresses, as plain loops. */
    static void product(Gemm g, long aAt, long bAt, long cAt, OptionalLong biasAt) {
        var a = buffer(g.type(), aAt);
        var b = buffer(g.type(), bAt);
        var c = buffer(g.result(), cAt);
        var bias =
                biasAt.isPresent()
                        ? Optional.of(buffer(g.result(), biasAt.getAsLong()))
                        : Optional.<Buffer>empty();
        for (int n = 0; n < g.batch(); n++) {
            for (int i = 0; i < g.m(); i++) {
                for (int j = 0; j < g.n(); j++) {
                    int column = j;
                    double sum = 0;
                    for (int k = 0; k < g.k(); k++) {
                        long left = g.rowsA() ? i * g.leadA() + k : k * g.leadA() + i;
                        long right = g.rowsB() ? k * g.leadB() + j : j * g.leadB() + k;
                        sum +=
                                a.get(g.offsetA() + n * g.stepA() + left)
                                        * b.get(g.offsetB() + n * g.stepB() + right);
                    }
                    double added = bias.map(v -> v.get(column)).orElse(0.0);
                    c.set(((long) n * g.m() + i) * g.n() + j, sum + added);
                }
            }
        }
    }
}
