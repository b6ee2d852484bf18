package dev.ebb.reference;

import dev.ebb.Cell;
import dev.ebb.Ebb;
import dev.ebb.Loop;
import dev.ebb.ir.DType;
import dev.ebb.ir.Shape;
import dev.ebb.ir.Type;
import dev.ebb.reference.RandomModel.Block;
import dev.ebb.reference.RandomModel.Named;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;

import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * Blocks of a {@link RandomModel} that widen their tensor: vectors of sizes beside those at which
 * devices change their ways, products of few rows, sorting, picking and scattering, truth values,
 * values without elements, functions mapped over examples, tangents, and cells in the rounds of a
 * loop.
 */
final class WideBlocks {
    private static final int[] SIZES = {
        1, 63, 65, 127, 128, 129, 255, 257, 1023, 1025, 4095, 4096, 4097
    };

    /** So many rounds that a device makes one method of them on the way. */
    private static final int ROUNDS = 11;

    private WideBlocks() {}

    static Named named(Random random) {
        int n = SIZES[random.nextInt(SIZES.length)];
        return switch (random.nextInt(12)) {
            case 0 -> new Named("maps of " + n, (_, x) -> maps(x, n));
            case 1 -> new Named("fold of " + n, (_, x) -> fold(x, n));
            case 2 -> new Named("few rows by " + n, (p, x) -> fewRows(p, x, n));
            case 3 -> new Named("sort of " + n, (_, x) -> sorted(x, n));
            case 4 -> new Named("picks of " + n, (_, x) -> picks(x, n));
            case 5 -> new Named("truths of " + n, (_, x) -> truths(x, n));
            case 6 -> new Named("no elements", (_, x) -> nothing(x));
            case 7 -> new Named("examples " + n, (p, x) -> examples(p, x, n));
            case 8 -> new Named("tangent", (p, x) -> tangent(p, x));
            case 9 -> new Named("cell in rounds", (_, x) -> cells(x));
            case 10 -> rounds("maps of 128 in rounds", (_, c) -> maps(c, 128));
            default -> rounds("few rows in rounds", (p, c) -> fewRows(p, c, 65));
        };
    }

    private static Named rounds(String name, Block inner) {
        return new Named(
                name, (p, x) -> Loop.repeat(ROUNDS, x, c -> RandomModel.mixed(c, inner, p)));
    }

    private static Tensor ramp(Tensor x, int n) {
        var ramp = IntStream.range(0, n).mapToDouble(i -> Math.sin(i) + 0.1).toArray();
        return Array.of(new Type(x.dtype(), Shape.of(n)), ramp);
    }

    /** So many numbers of one of {@code x}. */
    private static Tensor wide(Tensor x, int n) {
        return x.at(0, 1).at(0, 2).mul(ramp(x, n));
    }

    /** {@code x}, and some of what {@code y} comes to. */
    private static Tensor with(Tensor x, Tensor y) {
        return x.mul(0.8).add(y.mean().tanh().mul(0.3));
    }

    private static Tensor maps(Tensor x, int n) {
        var a = wide(x, n);
        var b = a.sin().mul(x.at(0, 0).at(0, 0));
        var c = b.square().add(0.5).sqrt().sub(a);
        var d = Tensors.where(c.gt(b), c, b.tanh().exp()).mul(a.tanh());
        return with(x, d.maximum(c).add(b.div(c.square().add(1))));
    }

    private static Tensor fold(Tensor x, int n) {
        var a = wide(x, n).add(0.3);
        var least = a.sub(a.amax()).exp();
        var spread = a.variance(List.of(0), 0, false).tanh().add(0.5);
        return with(x, least.div(least.sum()).mul(a.cos())).mul(spread);
    }

    private static Tensor fewRows(List<Tensor> p, Tensor x, int n) {
        var columns = Math.min(n, 257);
        var w = p.get(2).reshape(RandomModel.WIDTH, 1).mul(ramp(x, columns).reshape(1, columns));
        var y = x.slice(0, 0, 1 + n % RandomModel.ROWS).matmul(w).tanh();
        return x.add(y.matmul(w.transpose()).mul(0.01).mean(List.of(0), true));
    }

    private static Tensor sorted(Tensor x, int n) {
        var sorted = wide(x, n).sin().sort(0, n % 2 == 0).values();
        return with(x, sorted.mul(ramp(x, n)).cumsum(0).mul(0.01));
    }

    private static Tensor picks(Tensor x, int n) {
        var index = Array.of(IntStream.range(0, n).map(i -> i * 7 % RandomModel.ROWS).toArray());
        var picked = x.indexSelect(0, index).mul(ramp(x, n).reshape(n, 1)).sin();
        return x.add(x.mul(0).indexAdd(0, index, picked).mul(0.01));
    }

    private static Tensor truths(Tensor x, int n) {
        var a = wide(x, n);
        var any = a.gt(a.mean()).any();
        var all = a.le(a.amax()).and(a.isNan().not()).all();
        return Tensors.where(any.and(all), x.mul(0.9), x.sin());
    }

    private static Tensor nothing(Tensor x) {
        var none = x.slice(0, 2, 2).sin();
        return Tensors.concat(List.of(none, x.mul(none.sum().add(0.8))), 0);
    }

    private static Tensor examples(List<Tensor> p, Tensor x, int n) {
        var many = wide(x, n).reshape(n, 1).add(p.get(2));
        var each =
                Ebb.<Tensor, Tensor>vmap(
                        v -> {
                            var turned = v.roll(1, 0).mul(v.sum());
                            return Tensors.concat(List.of(turned.slice(0, 0, 3), v), 0).sin();
                        });
        return with(x, each.apply(many));
    }

    private static Tensor tangent(List<Tensor> p, Tensor x) {
        var both =
                Ebb.jvp(
                                (Tensor v) ->
                                        Loop.repeat(
                                                ROUNDS,
                                                v,
                                                c -> c.matmul(p.get(1)).mul(0.3).tanh().add(v)))
                        .apply(x, x.cos());
        return both.value().add(both.tangent().mul(0.1));
    }

    private static Tensor cells(Tensor x) {
        return Loop.repeat(
                ROUNDS,
                x,
                c -> {
                    var cell = new Cell(c);
                    cell.assign(0, 1, 3, c.slice(0, 0, 2).mul(0.9));
                    cell.assignWhere(c.gt(0.4), c.cast(DType.F32).sin().cast(c.dtype()));
                    cell.assign(0, 0, 1, cell.get().slice(0, 2, 3).cos());
                    return cell.get();
                });
    }
}
