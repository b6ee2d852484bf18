package dev.ebb.cuda;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** One card: its context, one stream, and the kernels that were compiled for it. */
final class Card implements AutoCloseable {
    private static final int PLAIN_SHARED = 48 << 10;

    private final Arena arena = Arena.ofShared();
    private final Driver driver;
    private final Nvrtc compiler;
    private final BlasLt blas;
    private final int device;
    private final long context;
    private final long stream;
    private final Map<String, Long> functions = new HashMap<>();
    private final Map<Gemm, BlasLt.Plan> products = new HashMap<>();
    private long compileNanos;

    /**
     * @param ordinal which card, counted from zero
     * @param folders where to look for libraries first
     */
    Card(int ordinal, List<Path> folders) {
        var libraries = new Libraries(folders, System.getenv());
        driver = new Driver(libraries.open(Libraries.Which.DRIVER, arena));
        int count = driver.devices();
        if (ordinal < 0 || ordinal >= count) {
            throw new CudaException(
                    "card "
                            + ordinal
                            + " was asked for, and the driver sees "
                            + count
                            + "; CUDA_VISIBLE_DEVICES may hide some");
        }
        device = driver.device(ordinal);
        context = driver.retainContext(device);
        driver.enter(context);
        stream = driver.stream();
        compiler = new Nvrtc(libraries.open(Libraries.Which.NVRTC, arena), architecture());
        blas = new BlasLt(libraries.open(Libraries.Which.BLAS, arena), arena);
    }

    private String architecture() {
        return "sm_"
                + driver.attribute(Driver.Attribute.MAJOR, device)
                + driver.attribute(Driver.Attribute.MINOR, device);
    }

    String describe() {
        return driver.name(device)
                + ", "
                + architecture()
                + ", "
                + driver.attribute(Driver.Attribute.MULTIPROCESSORS, device)
                + " multiprocessors, "
                + (driver.memory()[1] >> 20)
                + " MiB, driver "
                + driver.version()
                + ", NVRTC "
                + compiler.version()
                + ", cuBLASLt "
                + blas.version();
    }

    Driver driver() {
        return driver;
    }

    long stream() {
        return stream;
    }

    /** Seconds that compiling has taken. */
    double compileSeconds() {
        return compileNanos / 1e9;
    }

    int kernels() {
        return functions.size();
    }

    /** Where the operands of a recipe lie, as addresses of device memory. */
    record Places(List<Long> in, List<Long> out, long workspace, long fault, long number) {
        long of(Operand operand) {
            return switch (operand) {
                case Operand.In(int i) -> in.get(i);
                case Operand.Out(int i) -> out.get(i);
                case Operand.Work(long offset) -> workspace + offset;
                case Operand.Fault _ -> fault;
                case Operand.Node _ -> number;
            };
        }
    }

    /** A recipe with its kernels compiled and its places known: runs on the card's stream. */
    Runnable bind(Recipe recipe, Places places) {
        var steps = new ArrayList<Runnable>();
        for (var action : recipe.actions()) bind(action, places, steps);
        return () -> steps.forEach(Runnable::run);
    }

    private void bind(Action action, Places places, List<Runnable> steps) {
        switch (action) {
            case Action.Launch l -> {
                long function = function(l);
                var arguments = arguments(l, places);
                int blocks = Math.toIntExact(l.blocks());
                steps.add(
                        () ->
                                driver.launch(
                                        function,
                                        blocks,
                                        l.threads(),
                                        l.sharedBytes(),
                                        stream,
                                        arguments.address()));
            }
            case Action.Zero z -> {
                long to = places.of(z.to());
                steps.add(() -> driver.zero(to, z.bytes(), stream));
            }
            case Action.Unless u -> {
                if (places.of(u.in()) != places.of(u.out())) bind(u.first(), places, steps);
            }
            case Action.Product p -> {
                var plan = products.computeIfAbsent(p.gemm(), g -> blas.plan(g, Products.LIBRARY));
                long a = places.of(p.a());
                long b = places.of(p.b());
                long c = places.of(p.c());
                long workspace = places.workspace() + p.workspace();
                steps.add(() -> blas.run(plan, a, b, c, workspace, stream));
            }
        }
    }

    private MemorySegment arguments(Action.Launch l, Places places) {
        int n = l.operands().size();
        var values = arena.allocate(ValueLayout.JAVA_LONG, Math.max(1, n));
        var pointers = arena.allocate(ValueLayout.JAVA_LONG, Math.max(1, n));
        for (int i = 0; i < n; i++) {
            values.setAtIndex(ValueLayout.JAVA_LONG, i, places.of(l.operands().get(i)));
            pointers.setAtIndex(ValueLayout.JAVA_LONG, i, values.address() + 8L * i);
        }
        return pointers;
    }

    private long function(Action.Launch l) {
        var known = functions.get(l.text());
        if (known != null) return known;
        long start = System.nanoTime();
        var cubin = compiler.compile(l.name(), Prelude.TEXT + l.text());
        long module = driver.module(arena.allocateFrom(ValueLayout.JAVA_BYTE, cubin));
        long function = driver.function(module, l.name());
        if (l.sharedBytes() > PLAIN_SHARED) driver.allowShared(function, l.sharedBytes());
        compileNanos += System.nanoTime() - start;
        functions.put(l.text(), function);
        return function;
    }

    void await() {
        driver.drain(stream);
    }

    @Override
    public void close() {
        blas.close();
        driver.destroyStream(stream);
        driver.releaseContext(device);
        arena.close();
    }
}
