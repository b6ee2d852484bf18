package dev.ebb.cuda;

import dev.ebb.cuda.recipe.Recipe;
import dev.ebb.exec.Device;
import dev.ebb.exec.Queue;
import dev.ebb.ir.FusionLimits;
import dev.ebb.ir.Node;
import dev.ebb.plan.schedule.Cost;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.IntToLongFunction;

/**
 * An NVIDIA GPU as a device. A program's arena is one allocation of GPU memory, and its budget
 * counts bytes of that memory; the driver's context, {@link #contextBytes}, comes on top. Products
 * of f32 are computed in f32 unless {@link #with another precision} is requested.
 */
public final class Cuda implements Device {
    private final Gpu gpu;
    private final Precision precision;
    private final RecipeCache recipes;

    /**
     * @param ordinal the number of the GPU, counted from zero
     * @throws CudaException if there is none, or a library is missing; the message says what to
     *     install
     */
    public Cuda(int ordinal) {
        this(ordinal, List.of());
    }

    /**
     * @param folders where to look for the CUDA libraries first
     */
    public Cuda(int ordinal, List<Path> folders) {
        this(
                new Card(
                        ordinal,
                        folders,
                        CodeCache.folder(System.getenv(), System.getProperty("user.home", "."))),
                Precision.F32);
    }

    Cuda(Gpu gpu, Precision precision) {
        this.gpu = gpu;
        this.precision = precision;
        recipes = new RecipeCache(precision);
    }

    /**
     * The same GPU with another precision of f32 products; the default is {@link Precision#F32}.
     */
    public Cuda with(Precision other) {
        return new Cuda(gpu, other);
    }

    public Precision precision() {
        return precision;
    }

    @Override
    public String name() {
        return "cuda";
    }

    @Override
    public String signature() {
        return gpu.signature() + ", products of f32 in " + precision;
    }

    /** The name and properties of the GPU, in one line. */
    public String describe() {
        return gpu.describe();
    }

    /**
     * Bytes of GPU memory in use directly after the context was created: the driver's own share,
     * which no budget counts, and the memory of other programs at that time.
     */
    public long contextBytes() {
        gpu.enter();
        return gpu.usedBytes();
    }

    @Override
    public Optional<String> uncounted() {
        return Optional.of(
                (contextBytes() >> 20)
                        + " MiB of it are in use beside every budget: the driver's context, and"
                        + " what other programs hold");
    }

    /** A {@code Library} kernel runs on the host, in host memory, and needs no device workspace. */
    @Override
    public long workspaceBytes(Node node) {
        return recipes.recipe(node).map(Recipe::workspaceBytes).orElse(0L);
    }

    @Override
    public IntToLongFunction ownBytes(List<Node> nodes) {
        return _ -> CudaQueue.OWN_BYTES;
    }

    @Override
    public long mostOwnBytes(int workers) {
        return CudaQueue.OWN_BYTES;
    }

    /**
     * Arithmetic is cheap compared with memory, so bodies may be long and cheap producers are
     * recomputed; rows that are too long for registers are read again from the second-level cache.
     * The library adds a bias to its products. Any other epilogue is a separate kernel on the
     * library's result and is better planned as one: it then works in place, and may be fused with
     * its consumers.
     */
    @Override
    public FusionLimits fusion() {
        return new FusionLimits(16, 128, 24, 600, 0, 0, true, 32, 512 * 1024, 4096, 16, 4, 2048);
    }

    @Override
    public Cost cost() {
        return CardCost.of(precision);
    }

    @Override
    public boolean isHost() {
        return false;
    }

    @Override
    public Queue open() {
        return new CudaQueue(gpu, recipes);
    }
}
