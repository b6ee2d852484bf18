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
 * An NVIDIA card as a device. A program's arena is one allocation of the card's memory, and its
 * budget counts bytes of that memory; the driver's context, {@link #contextBytes}, comes on top of
 * it. Products of f32 are exact in f32 unless {@link #with another precision} is asked for.
 */
public final class Cuda implements Device {
    private final Board board;
    private final Precision precision;
    private final Texts texts;

    /**
     * @param ordinal which card, counted from zero
     * @throws CudaException if there is none, or a library is missing, with what to install
     */
    public Cuda(int ordinal) {
        this(ordinal, List.of());
    }

    /**
     * @param folders where the CUDA libraries are looked for first
     */
    public Cuda(int ordinal, List<Path> folders) {
        this(
                new Card(
                        ordinal,
                        folders,
                        CodeCache.folder(System.getenv(), System.getProperty("user.home", "."))),
                Precision.F32);
    }

    Cuda(Board board, Precision precision) {
        this.board = board;
        this.precision = precision;
        texts = new Texts(precision);
    }

    /** The same card, with f32 products computed so; the default is {@link Precision#F32}. */
    public Cuda with(Precision other) {
        return new Cuda(board, other);
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
        return board.signature() + ", products of f32 in " + precision;
    }

    /** What the card is, in one line. */
    public String describe() {
        return board.describe();
    }

    /**
     * Bytes of the card's memory that were in use when its context had been made: the driver's own
     * share, which no budget counts, and what other programs held then.
     */
    public long contextBytes() {
        board.enter();
        return board.usedBytes();
    }

    @Override
    public Optional<String> uncounted() {
        return Optional.of(
                (contextBytes() >> 20)
                        + " MiB of it are in use beside every budget: the driver's context, and"
                        + " what other programs hold");
    }

    /** Plain Java runs on the host, in the host's memory. */
    @Override
    public long workspaceBytes(Node node) {
        return texts.recipe(node).map(Recipe::workspaceBytes).orElse(0L);
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
     * Arithmetic costs little beside memory, so bodies may be long and cheap producers are computed
     * again; rows are read from the second-level cache when they are too long for registers. The
     * library adds a bias to its products; any other epilogue is a kernel of its own on the
     * library's result, which is better planned as such: it then works in place, and may be merged
     * with what follows.
     */
    @Override
    public FusionLimits fusion() {
        return new FusionLimits(16, 128, 24, 600, 0, 0, true, 32, 512 * 1024, 4096, 16, 4);
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
        return new CudaQueue(board, texts);
    }
}
