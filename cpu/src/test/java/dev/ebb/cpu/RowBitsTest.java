package dev.ebb.cpu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.Compiled;
import dev.ebb.Ebb;
import dev.ebb.Fn;
import dev.ebb.cpu.code.FusedLoops;
import dev.ebb.ir.DType;
import dev.ebb.ir.Shape;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Norms, softmaxes and other functions of rows, in random order, with their gradients: the bits are
 * the same fused or not, with generated loops or without, on one thread or three.
 */
class RowBitsTest {
    private static final int STEPS = 4;

    private record Rows(int rows, int width) {}

    /** Rows of one element, of odd lengths, of a tile and beyond, and too long to be fused. */
    private static final List<Rows> ROWS =
            List.of(
                    new Rows(7, 1),
                    new Rows(1, 100),
                    new Rows(9, 40),
                    new Rows(5, 64),
                    new Rows(70, 65),
                    new Rows(3, 127),
                    new Rows(130, 256),
                    new Rows(3, 1024),
                    new Rows(2, 1031),
                    new Rows(3, 4100),
                    new Rows(2, 17_000));

    /** A program on rows x and y, vectors g and b along them, and a number s of each row. */
    private record Program(long seed) implements Fn<List<Tensor>, Tensor> {
        @Override
        public Tensor apply(List<Tensor> in) {
            var random = new Random(seed);
            var values = new ArrayList<>(in.subList(0, 2));
            for (int i = 0; i < STEPS; i++) values.add(step(random, values, in));
            return values.getLast().mul(in.get(1)).mean().add(values.get(3).square().mean());
        }

        private static Tensor step(Random random, List<Tensor> values, List<Tensor> in) {
            var x = values.get(random.nextInt(values.size()));
            var y = values.getLast();
            var last = List.of(-1);
            return switch (random.nextInt(12)) {
                case 0, 1 -> x.layerNorm(in.get(2), in.get(3), 1e-5);
                case 2 -> x.rmsNorm(in.get(2), 1e-5);
                case 3 -> x.softmax(-1);
                case 4 -> x.logSoftmax(-1).mul(y);
                case 5 -> x.sub(x.mean(last, true)).add(y);
                case 6 -> x.div(x.abs().sum(last, true).add(1));
                case 7 -> x.sub(x.amax(last, true)).mul(x.amin(last, true));
                case 8 -> y.mul(x.logsumexp(last, true).tanh());
                case 9 -> x.mul(y.mul(x).mean(last, true)).add(in.get(4));
                case 10 -> x.add(y).mul(in.get(2)).tanh();
                default ->
                        x.reshape(-1)
                                .reshape(x.shape())
                                .add(in.get(4))
                                .layerNorm(in.get(2), in.get(3), 1e-3)
                                .add(x);
            };
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"F32", "F64", "BF16"})
    void fusingRowsChangesNoBit(DType type) {
        try (var one = new Cpu(1);
                var three = new Cpu(3);
                var eager = new VectorCpu(2, FusedLoops.eager())) {
            for (Rows rows : ROWS) {
                int programs = rows.rows * rows.width > 10_000 ? 2 : 4;
                for (int i = 0; i < programs; i++) {
                    // other programs for each type and size
                    long seed = 1000L * type.ordinal() + 10L * ROWS.indexOf(rows) + i;
                    var at = inputs(rows, type, seed);
                    var gradient = Ebb.compile(Ebb.grad(new Program(seed)));
                    var what = "program " + seed + " on " + rows;
                    var plain = results(gradient.on(one).unfused(), at);
                    same(plain, results(gradient.on(one), at), what);
                    same(plain, results(gradient.on(three), at), what);
                    same(plain, results(gradient.on(eager), at), what + " at once");
                }
            }
        }
    }

    private static List<Tensor> inputs(Rows rows, DType type, long seed) {
        var random = new Random(seed);
        var shapes =
                List.of(
                        Shape.of(rows.rows, rows.width),
                        Shape.of(rows.rows, rows.width),
                        Shape.of(rows.width),
                        Shape.of(rows.width),
                        Shape.of(rows.rows, 1));
        return shapes.stream()
                .<Tensor>map(
                        s -> {
                            var numbers = random.doubles(s.size(), -1.5, 1.5).toArray();
                            return Array.of(Array.of(s, numbers).type().with(type), numbers);
                        })
                .toList();
    }

    private static List<Tensor> results(Compiled<List<Tensor>, List<Tensor>> f, List<Tensor> at) {
        try (f) {
            return f.apply(at);
        }
    }

    private static void same(List<Tensor> expected, List<Tensor> actual, String what) {
        for (int i = 0; i < expected.size(); i++) {
            var a = expected.get(i).toDoubles();
            assertThat(actual.get(i).toDoubles()).as("gradient %d of %s", i, what).isEqualTo(a);
        }
    }
}
