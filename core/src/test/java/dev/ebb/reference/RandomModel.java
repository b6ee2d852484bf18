package dev.ebb.reference;

import dev.ebb.Cell;
import dev.ebb.Ebb;
import dev.ebb.Fn;
import dev.ebb.Loop;
import dev.ebb.Next;
import dev.ebb.Reversible;
import dev.ebb.ir.DType;
import dev.ebb.ir.Shape;
import dev.ebb.ir.Type;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Key;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;
import dev.ebb.tensor.grid.Grid;
import dev.ebb.tensor.network.Attention;
import dev.ebb.tensor.network.Conv;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * A network of random blocks on one small tensor: products, convolutions, attention, norms, draws,
 * cells, loops and branches in each other, reversible blocks, in a random element type. Two of the
 * same seed are the same.
 */
public final class RandomModel implements Fn<List<Tensor>, Tensor> {
    static final int ROWS = 4;
    static final int WIDTH = 8;

    /** A block: a function of the parameters and of a tensor, whose type it keeps. */
    interface Block {
        Tensor apply(List<Tensor> params, Tensor x);
    }

    record Named(String name, Block block) {}

    private final List<Array> inputs;
    private final List<Named> blocks = new ArrayList<>();
    private final List<Integer> from = new ArrayList<>();

    private RandomModel(List<Array> inputs) {
        this.inputs = inputs;
    }

    public static RandomModel of(Random random) {
        return of(random, false);
    }

    /**
     * @param wide whether half of its blocks are {@link WideBlocks}
     */
    public static RandomModel of(Random random, boolean wide) {
        var types = List.of(DType.F64, DType.F32, DType.F32, DType.F64, DType.BF16, DType.F16);
        var dtype = types.get(random.nextInt(types.size()));
        var model =
                new RandomModel(
                        List.of(
                                draw(random, dtype, ROWS, WIDTH),
                                draw(random, dtype, WIDTH, WIDTH),
                                draw(random, dtype, WIDTH)));
        int length = 2 + random.nextInt(5);
        for (int i = 0; i < length; i++) {
            boolean other = wide && random.nextBoolean();
            model.blocks.add(other ? WideBlocks.named(random) : named(random, 0));
            // mostly one after the other, sometimes from further back
            model.from.add(random.nextInt(4) > 0 ? i : random.nextInt(i + 1));
        }
        return model;
    }

    private static Array draw(Random random, DType dtype, int... dims) {
        var shape = Shape.of(dims);
        var data = random.doubles(shape.size(), -0.6, 0.6).toArray();
        return Array.of(new Type(dtype, shape), data);
    }

    /** What it takes and is differentiated by. */
    public List<Tensor> inputs() {
        return List.copyOf(inputs);
    }

    @Override
    public Tensor apply(List<Tensor> params) {
        var values = new ArrayList<>(List.of(params.getFirst()));
        for (int i = 0; i < blocks.size(); i++) {
            var named = blocks.get(i);
            var x = values.get(from.get(i));
            values.add(Ebb.region(named.name() + " " + i, () -> named.block().apply(params, x)));
        }
        Tensor sum = values.getLast().cast(DType.F32).square().mean();
        for (var v : values) sum = sum.add(v.cast(DType.F32).mean());
        return sum;
    }

    private static Named named(Random random, int depth) {
        int kinds = depth < 2 ? 22 : 15;
        return switch (random.nextInt(kinds)) {
            case 0 -> new Named("tanh", (_, x) -> x.tanh());
            case 1 -> new Named("gelu", (_, x) -> x.gelu());
            case 2 -> new Named("wave", (_, x) -> x.sin().mul(x.cos().add(1)));
            case 3 -> new Named("product", (p, x) -> x.matmul(p.get(1)).mul(0.5));
            case 4 -> new Named("softmax", (_, x) -> x.softmax(-1).mul(3));
            case 5 -> new Named("layer norm", (p, x) -> x.layerNorm(p.get(2), p.get(2), 0.1));
            case 6 -> new Named("rms norm", (p, x) -> x.rmsNorm(p.get(2), 0.1));
            case 7 -> new Named("attention", (p, x) -> attention(p, x));
            case 8 -> new Named("convolution", (p, x) -> convolution(p, x));
            case 9 -> {
                long seed = random.nextLong();
                yield new Named("dropout", (_, x) -> x.dropout(0.3, Key.of(seed)));
            }
            case 10 -> {
                long seed = random.nextLong();
                yield new Named("noise", (_, x) -> x.add(Key.of(seed).normal(x.type()).mul(0.1)));
            }
            case 11 -> new Named("cell", (_, x) -> cell(x));
            case 12 -> new Named("half", (_, x) -> x.cast(DType.BF16).sin().cast(x.dtype()));
            case 13 ->
                    new Named(
                            "sums", (_, x) -> x.cumsum(0).mul(0.3).add(x.mean(List.of(-1), true)));
            case 14 ->
                    new Named(
                            "moves",
                            (_, x) ->
                                    Tensors.concat(
                                                    List.of(x.slice(0, 2, ROWS), x.slice(0, 0, 2)),
                                                    0)
                                            .roll(1, -1));
            case 15 -> {
                var inner = named(random, depth + 1).block();
                int times = 1 + random.nextInt(6);
                yield new Named("repeat", (p, x) -> Loop.repeat(times, x, c -> mixed(c, inner, p)));
            }
            case 16 -> {
                var inner = named(random, depth + 1).block();
                yield new Named("scan", (p, x) -> scan(inner, p, x));
            }
            case 17 -> {
                var inner = named(random, depth + 1).block();
                int times = 1 + random.nextInt(4);
                yield new Named("while", (p, x) -> rounds(inner, times, p, x));
            }
            case 18 -> {
                var yes = named(random, depth + 1).block();
                var no = named(random, depth + 1).block();
                double bound = random.nextDouble() - 0.5;
                yield new Named(
                        "branch",
                        (p, x) ->
                                Loop.cond(
                                        x.cast(DType.F32).mean().gt(bound),
                                        () -> yes.apply(p, x),
                                        () -> no.apply(p, x)));
            }
            case 19 -> {
                var f = named(random, 2).block();
                var g = named(random, 2).block();
                int depthOfStack = 1 + random.nextInt(3);
                yield new Named("reversible", (p, x) -> reversible(f, g, depthOfStack, p, x));
            }
            case 20 -> {
                int times = 1 + random.nextInt(6);
                yield new Named("undone", (p, x) -> undone(times, p, x));
            }
            case 21 -> {
                var inner = named(random, depth + 1).block();
                yield new Named("residual", (p, x) -> x.add(inner.apply(p, x).mul(0.5)));
            }
            default -> throw new AssertionError();
        };
    }

    static Tensor mixed(Tensor c, Block inner, List<Tensor> p) {
        return inner.apply(p, c).mul(0.7).add(c.mul(0.2));
    }

    private static Tensor attention(List<Tensor> p, Tensor x) {
        var heads = x.reshape(1, 1, ROWS, WIDTH);
        var keys = x.matmul(p.get(1)).reshape(1, 1, ROWS, WIDTH);
        return heads.attention(keys, heads.mul(0.5), Attention.past()).reshape(ROWS, WIDTH);
    }

    private static Tensor convolution(List<Tensor> p, Tensor x) {
        var kernel = p.get(1).slice(0, 0, 3).slice(1, 0, 3).reshape(1, 1, 3, 3);
        var image = x.reshape(1, 1, ROWS, WIDTH);
        return image.conv2d(kernel, Conv.plain().padding(1, 1)).reshape(ROWS, WIDTH);
    }

    private static Tensor cell(Tensor x) {
        var cell = new Cell(x);
        cell.assign(0, 1, 3, x.slice(0, 0, 2).sin());
        cell.update(c -> c.mul(1.1).tanh());
        cell.assign(0, 0, 1, cell.get().slice(0, 2, 3));
        return cell.get().add(x.mul(0.1));
    }

    private static Tensor scan(Block inner, List<Tensor> p, Tensor x) {
        var scanned =
                Loop.scan(
                        x,
                        x,
                        (Tensor c, Tensor row) -> {
                            var next = mixed(c.add(row), inner, p);
                            return new Next<>(next, next.mean(0));
                        });
        return scanned.carry().add(scanned.stacked());
    }

    private record Counted(Tensor x, Tensor count) {}

    private static Tensor rounds(Block inner, int times, List<Tensor> p, Tensor x) {
        var zero = x.cast(DType.F32).sum().mul(0).detach();
        return Loop.whileTrue(
                        times + 2,
                        new Counted(x, zero),
                        c -> c.count().lt(times - 0.5),
                        c -> new Counted(mixed(c.x(), inner, p), c.count().add(1)))
                .x();
    }

    private static Tensor reversible(Block f, Block g, int depth, List<Tensor> p, Tensor x) {
        var block =
                Reversible.block(
                        t -> f.apply(p, t.cast(x.dtype())).tanh().cast(DType.F64),
                        t -> g.apply(p, t.cast(x.dtype())).tanh().cast(DType.F64));
        var blocks = new ArrayList<Reversible.Block>();
        for (int i = 0; i < depth; i++) blocks.add(block);
        var streams = Reversible.Streams.of(x.cast(DType.F64));
        return Reversible.stack(blocks).apply(streams).sum().mul(0.1).cast(x.dtype());
    }

    private static Tensor undone(int times, List<Tensor> p, Tensor x) {
        var grid = new Grid(30);
        var w = p.get(1).cast(DType.F64);
        Fn<Tensor, Tensor> force = v -> v.matmul(w).tanh().mul(0.1);
        var first =
                new Reversible.Streams(
                        grid.enter(x.cast(DType.F64)), grid.enter(x.cast(DType.F64).mul(0.5)));
        var last =
                Reversible.repeat(
                        times,
                        first,
                        s -> {
                            var a = grid.add(s.first(), force.apply(s.second()));
                            return new Reversible.Streams(a, grid.add(s.second(), force.apply(a)));
                        },
                        s -> {
                            var b = grid.sub(s.second(), force.apply(s.first()));
                            return new Reversible.Streams(grid.sub(s.first(), force.apply(b)), b);
                        });
        return last.sum().mul(0.3).cast(x.dtype());
    }

    @Override
    public String toString() {
        var text = new StringBuilder(inputs.getFirst().dtype().toString());
        for (int i = 0; i < blocks.size(); i++)
            text.append(", ").append(blocks.get(i).name()).append(" of ").append(from.get(i));
        return text.toString();
    }
}
