package dev.ebb.cuda;

import dev.ebb.cuda.driver.BlasLt;
import dev.ebb.cuda.driver.Driver;
import dev.ebb.cuda.driver.Gemm;
import dev.ebb.cuda.driver.Launch;
import dev.ebb.cuda.driver.Libraries;
import dev.ebb.cuda.driver.Nvrtc;
import dev.ebb.cuda.recipe.Action;
import dev.ebb.cuda.text.Products;

import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * One GPU: its libraries, its context, and the kernels compiled for it. The context is created when
 * the first thread enters; before that only the GPU's properties can be read.
 */
final class Card implements Gpu, AutoCloseable {
    private final Driver driver;
    private final Nvrtc compiler;
    private final Libraries libraries;
    private final Kernels kernels;
    private final int ordinal;
    private final int device;

    /**
     * Whether a kernel may start before the end of the one before it. Those that need dynamic
     * shared memory do not: a multiprocessor holds one or two of their large blocks, and blocks
     * that are placed while others are still running are not spread evenly.
     */
    private final boolean overlaps;

    private final Map<Gemm, BlasLt.Plan> products = new HashMap<>();
    private Optional<Context> context = Optional.empty();

    /**
     * The state that exists once the GPU is used.
     *
     * @param usedBytes of GPU memory directly after creation, including those of other programs
     */
    private record Context(long handle, BlasLt blas, long usedBytes) {}

    /**
     * @param ordinal the number of the GPU, counted from zero
     * @param folders where to look for libraries first
     * @param cache the folder of compiled kernels
     */
    Card(int ordinal, List<Path> folders, Path cache) {
        libraries = new Libraries(folders, System.getenv());
        var arena = Arena.global(); // a driver cannot be unloaded while the process lives
        driver = new Driver(libraries.open(Libraries.Which.DRIVER, arena));
        int count = driver.devices();
        if (ordinal < 0 || ordinal >= count) {
            throw new CudaException(
                    ("card %s was asked for, and the driver sees %s; CUDA_VISIBLE_DEVICES may hide"
                                    + " some")
                            .formatted(ordinal, count));
        }
        this.ordinal = ordinal;
        device = driver.device(ordinal);
        overlaps = major() >= 9;
        compiler = new Nvrtc(libraries.open(Libraries.Which.NVRTC, arena), target());
        libraries.open(Libraries.Which.BLAS, arena);
        kernels =
                new Kernels(
                        compiler::compile,
                        driver,
                        cache,
                        List.of(
                                target(),
                                compiler.version(),
                                String.valueOf(driver.version()),
                                Nvrtc.OPTIONS.toString()));
    }

    private int major() {
        return driver.attribute(Driver.Attribute.MAJOR, device);
    }

    private String architecture() {
        return "sm_" + major() + driver.attribute(Driver.Attribute.MINOR, device);
    }

    /** The architecture to compile for; from Hopper on with its architecture-specific features. */
    private String target() {
        return architecture() + (major() >= 9 ? "a" : "");
    }

    @Override
    public String describe() {
        return "card "
                + ordinal
                + ": "
                + driver.name(device)
                + ", "
                + architecture()
                + ", "
                + driver.attribute(Driver.Attribute.MULTIPROCESSORS, device)
                + " multiprocessors, "
                + (driver.totalMemory(device) >> 20)
                + " MiB, driver "
                + driver.version()
                + ", NVRTC "
                + compiler.version();
    }

    @Override
    public String signature() {
        return driver.name(device)
                + ", "
                + architecture()
                + ", driver "
                + driver.version()
                + ", NVRTC "
                + compiler.version();
    }

    private synchronized Context context() {
        if (context.isPresent()) return context.get();
        long handle = driver.retainContext(device);
        driver.enter(handle);
        var arena = Arena.global();
        var blas = new BlasLt(libraries.open(Libraries.Which.BLAS, arena), arena);
        var memory = driver.memory();
        var made = new Context(handle, blas, memory[1] - memory[0]);
        context = Optional.of(made);
        return made;
    }

    @Override
    public void enter() {
        driver.enter(context().handle());
    }

    @Override
    public long usedBytes() {
        return context().usedBytes();
    }

    @Override
    public Driver streams() {
        return driver;
    }

    Kernels kernels() {
        return kernels;
    }

    @Override
    public void compile(Collection<Action.Launch> launches) {
        kernels.compile(launches);
    }

    @Override
    public Runnable launch(Action.Launch l, List<Long> arguments, long stream) {
        var launch =
                new Launch(
                        kernels.function(l),
                        Math.toIntExact(l.blocks()),
                        l.threads(),
                        l.sharedBytes(),
                        overlaps && l.sharedBytes() == 0,
                        stream,
                        arguments);
        return () -> driver.launch(launch);
    }

    @Override
    public Runnable product(
            Gemm gemm, long a, long b, long c, OptionalLong bias, long workspace, long stream) {
        var blas = context().blas();
        var plan = plan(gemm, blas);
        return () -> blas.run(plan, a, b, c, bias, workspace, stream);
    }

    private synchronized BlasLt.Plan plan(Gemm gemm, BlasLt blas) {
        return products.computeIfAbsent(gemm, g -> blas.plan(g, Products.libraryBytes(g)));
    }

    @Override
    public synchronized void close() {
        if (context.isEmpty()) return;
        context.get().blas().close();
        driver.releaseContext(device);
        context = Optional.empty();
    }
}
