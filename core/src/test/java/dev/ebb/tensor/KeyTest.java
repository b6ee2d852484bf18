package dev.ebb.tensor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.ebb.Ebb;
import dev.ebb.Fn;
import dev.ebb.ir.DType;
import dev.ebb.ir.Shape;
import dev.ebb.ir.Type;
import dev.ebb.ir.math.Philox;
import dev.ebb.trace.Trace;

import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.stream.IntStream;

class KeyTest {
    private static final int MANY = 20_000;
    private final Key key = Key.of(42);

    private static double[] data(Tensor t) {
        return t.toDoubles();
    }

    private static double moment(double[] x, int power) {
        return Arrays.stream(x).map(v -> StrictMath.pow(v, power)).average().orElseThrow();
    }

    @Test
    void uniformNumbersAreTheUpperBitsOfTheirDraws() {
        var x = data(key.uniform(Type.of(DType.F32, 3, 5)));
        for (int i = 0; i < x.length; i++) {
            assertThat(x[i]).isEqualTo((Philox.draw(42, i) >>> 8) * 0x1p-24);
        }
    }

    @Test
    void uniformNumbersFillTheirRange() {
        for (var dtype : new DType[] {DType.F32, DType.F64, DType.BF16, DType.F16}) {
            var x = data(key.uniform(Type.of(dtype, MANY)));
            assertThat(Arrays.stream(x).min().orElseThrow()).isNotNegative();
            assertThat(Arrays.stream(x).max().orElseThrow()).isLessThan(1);
            assertThat(moment(x, 1)).isCloseTo(dtype == DType.BF16 ? 0.498 : 0.5, within(0.01));
            assertThat(moment(x, 2)).isCloseTo(1 / 3.0, within(0.01));
        }
    }

    @Test
    void normalNumbersHaveTheirMoments() {
        for (var dtype : new DType[] {DType.F32, DType.F64, DType.F16}) {
            var x = data(key.normal(Type.of(dtype, MANY)));
            assertThat(moment(x, 1)).isCloseTo(0, within(0.03));
            assertThat(moment(x, 2)).isCloseTo(1, within(0.03));
            assertThat(moment(x, 3)).isCloseTo(0, within(0.1));
            assertThat(moment(x, 4)).isCloseTo(3, within(0.2));
        }
    }

    @Test
    void truncatedNumbersStayWithinTheirBounds() {
        var x = data(key.truncatedNormal(Type.of(DType.F64, MANY), -2, 1));
        assertThat(Arrays.stream(x).min().orElseThrow()).isBetween(-2.0, -1.9);
        assertThat(Arrays.stream(x).max().orElseThrow()).isBetween(0.9, 1.0);
        // the density at the bounds, over the mass between them
        double mass = 0.8413447460685429 - 0.02275013194817921;
        assertThat(moment(x, 1))
                .isCloseTo((0.05399096651318806 - 0.24197072451914337) / mass, within(0.02));
    }

    @Test
    void bernoulliHoldsAsOftenAsAsked() {
        var shape = Shape.of(MANY);
        assertThat(moment(data(key.bernoulli(shape, 0.3)), 1)).isCloseTo(0.3, within(0.01));
        assertThat(data(key.bernoulli(shape, 0))).containsOnly(0);
        assertThat(data(key.bernoulli(shape, 1))).containsOnly(1);
    }

    @Test
    void derivedKeysDrawOtherNumbers() {
        var seen = new HashSet<Double>();
        var type = Type.of(DType.F64, 4);
        for (double x : data(key.uniform(type))) seen.add(x);
        for (var other : key.split(3)) for (double x : data(other.uniform(type))) seen.add(x);
        for (int step = 0; step < 3; step++) {
            for (double x : data(key.fold(step).uniform(type))) seen.add(x);
        }
        for (double x : data(key.fold(0).fold(0).uniform(type))) seen.add(x);
        assertThat(seen).hasSize(4 * 8);
        assertThat(data(Key.of(42).fold(7).uniform(type)))
                .isEqualTo(data(key.fold(Array.scalar(7L)).uniform(type)));
    }

    @Test
    void aPermutationHasEveryNumberOnce() {
        var p = key.permutation(1000).toLongs();
        assertThat(p).isNotEqualTo(IntStream.range(0, 1000).asLongStream().toArray());
        Arrays.sort(p);
        assertThat(p).isEqualTo(IntStream.range(0, 1000).asLongStream().toArray());
    }

    @Test
    void dropoutScalesWhatItKeepsAndItsGradientFollows() {
        var x = Tensors.fill(Type.of(DType.F64, MANY), 3);
        var y = data(x.dropout(0.25, key));
        assertThat(y).containsOnly(0, 4);
        assertThat(moment(y, 1)).isCloseTo(3, within(0.03));
        var g = data(Ebb.grad((Tensor t) -> t.dropout(0.25, key).sum()).apply(x));
        for (int i = 0; i < y.length; i++) assertThat(g[i] * 3).isCloseTo(y[i], within(1e-15));
        assertThat(x.dropout(0, key)).isSameAs(x);
    }

    @Test
    void dropoutKeepsNoMask() {
        Fn<Tensor, Tensor> gradient = Ebb.grad((Tensor t) -> t.dropout(0.5, key).exp().sum());
        var graph =
                Trace.of(
                                in -> List.of(gradient.apply(in.getFirst())),
                                List.of(Type.of(DType.F32, 64)))
                        .graph();
        var drops = graph.nodes().stream().filter(n -> n.op().name().equals("dropout")).toList();
        assertThat(drops).hasSize(2);
        assertThat(drops.getLast().reverse()).isTrue();
        assertThat(drops.getLast().inputs().getLast())
                .isEqualTo(drops.getFirst().inputs().getLast());
    }

    @Test
    void aKeyIsAnArgumentLikeAnyOther() {
        record Step(Tensor x, Key key) {}
        var f = Ebb.compile((Step s) -> s.x().dropout(0.5, s.key()));
        var x = Tensors.fill(Type.of(DType.F64, 100), 1);
        var first = data(f.apply(new Step(x, key)));
        assertThat(data(f.apply(new Step(x, Key.of(43))))).isNotEqualTo(first);
        assertThat(data(f.apply(new Step(x, key)))).isEqualTo(first);
        f.close();
    }

    @Test
    void drawsThatMakeNoSenseAreTold() {
        assertThatThrownBy(() -> new Key(Array.scalar(1f))).hasMessageContaining("one i64");
        assertThatThrownBy(() -> key.uniform(Type.of(DType.I32, 3))).hasMessageContaining("i32");
        assertThatThrownBy(() -> key.bernoulli(Shape.of(3), 2)).hasMessageContaining("2.0");
        assertThatThrownBy(() -> Array.of(1f).dropout(1, key)).hasMessageContaining("below 1");
        assertThatThrownBy(() -> Array.of(1).dropout(0.5, key)).hasMessageContaining("cast it");
        assertThatThrownBy(() -> key.truncatedNormal(Type.of(DType.F32, 3), 2, 1))
                .hasMessageContaining("in order");
        assertThatThrownBy(() -> key.fold(Array.of(1L, 2L))).hasMessageContaining("one integer");
    }
}
