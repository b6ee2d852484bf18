package dev.ebb.bench.kernel;

import dev.ebb.cpu.Cpu;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Scalar;
import dev.ebb.ir.Shape;
import dev.ebb.ir.View;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Compares products of F32 matrices with OpenBLAS, with one thread and with all. Both run
 * alternately, and the best time of each counts.
 *
 * <p>Run: {@code java --add-modules jdk.incubator.vector --enable-native-access=ALL-UNNAMED -cp ...
 * dev.ebb.bench.kernel.GemmBench [rounds]}.
 */
public final class GemmBench {
    private static final int[][] SIZES = {
        {256, 256, 256},
        {512, 512, 512},
        {1024, 1024, 1024},
        {2048, 2048, 2048},
        {2048, 256, 1024},
        {2048, 1024, 256}
    };

    private static final int ROW_MAJOR = 101;
    private static final int PLAIN = 111;

    private final MethodHandle multiply;
    private final MethodHandle setThreads;

    @SuppressWarnings("restricted") // calling a native library is the point of this benchmark
    private GemmBench(Path folder) {
        var linker = Linker.nativeLinker();
        sleepSoon(linker);
        // each library needs the ones before it
        for (String name : List.of("libgcc_s.so.1", "libquadmath.so.0", "libgfortran.so.5")) {
            System.load(folder.resolve(name).toString());
        }
        var library =
                SymbolLookup.libraryLookup(folder.resolve("libopenblas.so.0"), Arena.global());
        var i = ValueLayout.JAVA_INT;
        var f = ValueLayout.JAVA_FLOAT;
        var p = ValueLayout.ADDRESS;
        multiply =
                linker.downcallHandle(
                        library.findOrThrow("cblas_sgemm"),
                        FunctionDescriptor.ofVoid(i, i, i, i, i, i, f, p, i, p, i, f, p, i));
        setThreads =
                linker.downcallHandle(
                        library.findOrThrow("openblas_set_num_threads"),
                        FunctionDescriptor.ofVoid(i));
    }

    /**
     * Sets OpenBLAS's timeout, before it is loaded, so that its threads sleep soon after a product.
     * Otherwise they would spin during the next measurement, on a core that the device uses.
     */
    @SuppressWarnings("restricted") // calling a native library is the point of this benchmark
    private static void sleepSoon(Linker linker) {
        var set =
                linker.downcallHandle(
                        linker.defaultLookup().findOrThrow("setenv"),
                        FunctionDescriptor.of(
                                ValueLayout.JAVA_INT,
                                ValueLayout.ADDRESS,
                                ValueLayout.ADDRESS,
                                ValueLayout.JAVA_INT));
        try (var arena = Arena.ofConfined()) {
            int failed =
                    (int)
                            set.invokeExact(
                                    arena.allocateFrom("OPENBLAS_THREAD_TIMEOUT"),
                                    arena.allocateFrom("4"),
                                    1);
            if (failed != 0) throw new IllegalStateException("setenv failed");
        } catch (RuntimeException e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException("setenv failed", e);
        }
    }

    /** The folder where the libraries of the OpenBLAS artifact have been unpacked. */
    private static Path unpack() {
        try {
            var folder = Files.createTempDirectory("ebb-openblas");
            for (String name :
                    List.of(
                            "libgcc_s.so.1",
                            "libquadmath.so.0",
                            "libgfortran.so.5",
                            "libopenblas.so.0")) {
                var resource = "/org/bytedeco/openblas/linux-x86_64/" + name;
                try (var in = GemmBench.class.getResourceAsStream(resource)) {
                    if (in == null) {
                        throw new IllegalStateException(
                                resource
                                        + " is not on the class path; add org.bytedeco:openblas for"
                                        + " linux-x86_64");
                    }
                    Files.copy(in, folder.resolve(name));
                }
                folder.resolve(name).toFile().deleteOnExit();
            }
            folder.toFile().deleteOnExit();
            return folder;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void multiply(int m, int n, int k, MemorySegment a, MemorySegment b, MemorySegment c) {
        try {
            multiply.invokeExact(ROW_MAJOR, PLAIN, PLAIN, m, n, k, 1f, a, k, b, n, 0f, c, n);
        } catch (Throwable e) {
            throw new IllegalStateException("cblas_sgemm failed", e);
        }
    }

    private void threads(int count) {
        try {
            setThreads.invokeExact(count);
        } catch (Throwable e) {
            throw new IllegalStateException("openblas_set_num_threads failed", e);
        }
    }

    /** The speed of one product relative to OpenBLAS. */
    private double ratio(Cpu cpu, int m, int k, int n, int rounds) {
        threads(cpu.threads().count());
        try (var arena = Arena.ofShared()) {
            var a = OneKernel.random(arena, (long) m * k);
            var b = OneKernel.random(arena, (long) k * n);
            var c = OneKernel.random(arena, (long) m * n);
            var kernel =
                    new Kernel.Contract(
                            Shape.of(),
                            m,
                            n,
                            k,
                            View.contiguous(Shape.of(m, k)),
                            View.contiguous(Shape.of(k, n)),
                            List.of(),
                            Scalar.arg(0));
            double flops = 2.0 * m * n * k;
            int some = (int) Math.clamp(rounds * 2e9 / flops, 10, 40 * rounds);
            var best =
                    OneKernel.best(
                            some,
                            OneKernel.bind(cpu, kernel, List.of(a, b), List.of(c)),
                            () -> multiply(m, n, k, a.segment(), b.segment(), c.segment()));
            System.out.printf(
                    "  %dx%dx%d, %d threads: %.1f GFLOP/s, OpenBLAS %.1f, ratio %.3f%n",
                    m,
                    k,
                    n,
                    cpu.threads().count(),
                    flops / best[0] / 1e9,
                    flops / best[1] / 1e9,
                    best[1] / best[0]);
            return best[1] / best[0];
        }
    }

    public static void main(String[] args) {
        int rounds = args.length > 0 ? Integer.parseInt(args[0]) : 10;
        var bench = new GemmBench(unpack());
        double logs = 0;
        for (int threads : new int[] {1, Runtime.getRuntime().availableProcessors()}) {
            try (var cpu = new Cpu(threads)) {
                for (int[] s : SIZES) logs += Math.log(bench.ratio(cpu, s[0], s[1], s[2], rounds));
            }
        }
        System.out.printf(
                "gemm f32 against OpenBLAS, geometric mean of ratios: %.3f%n",
                Math.exp(logs / 2 / SIZES.length));
    }
}
