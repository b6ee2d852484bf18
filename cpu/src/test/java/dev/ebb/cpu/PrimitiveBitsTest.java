package dev.ebb.cpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.Ebb;
import dev.ebb.Fn;
import dev.ebb.Loop;
import dev.ebb.Tensorwise;
import dev.ebb.cpu.code.FusedLoops;
import dev.ebb.cpu.sequence.SequenceCompiler;
import dev.ebb.plan.Threads;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;

/** A function called with arrays of doubles has the bits of the kernels, also from many threads. */
final class PrimitiveBitsTest {
    private static final Fn<Tensor, Tensor> ROSENBROCK =
            x -> {
                var a = x.slice(0, 0, 1);
                var b = x.slice(0, 1, 2);
                return a.sub(1).square().add(b.sub(a.square()).square().mul(100)).sum();
            };
    private static final Fn<Tensor, Tensor> FUNCTIONS =
            x -> x.exp().log1p().mul(x.tanh()).add(x.erf().mul(x.square().add(1).pow(0.3))).sum();
    private static final Fn<Tensor, Tensor> PRODUCT =
            x -> x.reshape(2, -1).matmul(x.reshape(-1, 2)).softmax(1).square().sum();
    private static final Fn<Tensor, Tensor> LOOP =
            x -> Loop.repeat(20, x, c -> c.sin().mul(1.1)).sum();

    @Test
    void doubles_in_and_out() throws Exception {
        try (var kernels = cpu(Integer.MAX_VALUE);
                var compiled = cpu(0)) {
            for (var f : List.of(ROSENBROCK, FUNCTIONS, PRODUCT, LOOP)) {
                var g = Ebb.valueAndGrad(f);
                var random = new Random(7);
                try (var expected = Ebb.compile(g).on(kernels);
                        var found = Ebb.compile(g).on(compiled)) {
                    var primitive = found.primitive(Array.of(0.0, 0.0, 0.0, 0.0));
                    var calls = new ArrayList<Callable<double[]>>();
                    var wanted = new ArrayList<double[]>();
                    for (int i = 0; i < 40; i++) {
                        var in = random.doubles(4, -3, 3).toArray();
                        wanted.add(all(expected.apply(Array.of(in))));
                        calls.add(
                                () -> {
                                    var out = new double[primitive.outputs()];
                                    primitive.apply(in, out);
                                    return out;
                                });
                    }
                    try (var pool = Executors.newFixedThreadPool(3)) {
                        var given = pool.invokeAll(calls);
                        for (int i = 0; i < wanted.size(); i++)
                            assertThat(bits(given.get(i).get())).isEqualTo(bits(wanted.get(i)));
                    }
                }
            }
        }
    }

    private record Pair(Tensor x, Tensor y) {}

    private static Pair pair(Random random) {
        return new Pair(
                Array.of(random.doubles(3, -2, 2).toArray()), Array.scalar(random.nextDouble()));
    }

    /** After its first runs, a function of records is compiled to one method without memory. */
    @Test
    void records_have_the_bits_of_the_kernels_before_and_after_they_are_one_method() {
        Fn<Pair, Tensor> f = p -> p.x.sin().mul(p.y).exp().sum().add(p.y.square());
        var g = Ebb.valueAndGrad(f);
        try (var kernels = cpu(Integer.MAX_VALUE);
                var compiled = cpu(2);
                var expected = Ebb.compile(g).on(kernels);
                var found = Ebb.compile(g).on(compiled)) {
            var random = new Random(8);
            for (int i = 0; i < 10; i++) {
                var at = pair(random);
                assertThat(bits(all(found.apply(at)))).isEqualTo(bits(all(expected.apply(at))));
                var report = found.report();
                assertThat(report.measuredBytes()).isEqualTo(report.promisedBytes());
                assertThat(report.promisedBytes()).isEqualTo(expected.report().promisedBytes());
                assertThat(report.seconds()).isPositive();
            }
            var gone = pair(random);
            ((Array) gone.x).donate();
            assertThatThrownBy(() -> found.apply(gone)).hasMessageContaining("was donated");
            var longer = new Pair(Array.of(1.0, 2.0), Array.scalar(1.0));
            assertThat(bits(all(found.apply(longer)))).isEqualTo(bits(all(expected.apply(longer))));
            var at = pair(random);
            assertThat(bits(all(found.apply(at)))).isEqualTo(bits(all(expected.apply(at))));
        }
    }

    private static VectorCpu cpu(int after) {
        return new VectorCpu(new Threads(1, true), new FusedLoops(), new SequenceCompiler(after));
    }

    private static double[] all(Object tree) {
        return Tensorwise.list(tree).stream()
                .flatMapToDouble(t -> Arrays.stream(t.toDoubles()))
                .toArray();
    }

    private static long[] bits(double[] values) {
        return Arrays.stream(values).mapToLong(Double::doubleToRawLongBits).toArray();
    }
}
