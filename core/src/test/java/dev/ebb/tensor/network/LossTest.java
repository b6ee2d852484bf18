package dev.ebb.tensor.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.ebb.Differences;
import dev.ebb.Ebb;
import dev.ebb.Fn;
import dev.ebb.ir.DType;
import dev.ebb.ir.Shape;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;

import org.junit.jupiter.api.Test;

import java.util.List;

class LossTest {

    private static double[] data(Tensor t) {
        return t.toDoubles();
    }

    @Test
    void crossEntropyOfFarLogitsIsExact() {
        var x = Array.of(Shape.of(2, 3), 1e5f, 1e5f + 1, 1e5f - 1, -1e5f, -1e5f, -1e5f);
        var rows = x.crossEntropy(Array.of(1, 2), CrossEntropy.mean().reduction(Reduction.NONE));
        double first = Math.log(1 + Math.exp(-1) + Math.exp(-2));
        assertThat(data(rows)).containsExactly(new double[] {first, Math.log(3)}, within(1e-6));
    }

    @Test
    void ignoredRowsCountForNothing() {
        var x = Differences.normal(1, 2, 2, 4);
        var targets = Array.of(Shape.of(2, 2), 3L, -1L, 0L, 2L);
        var all = CrossEntropy.mean().ignoring(-1);
        var rows = data(x.crossEntropy(targets, all.reduction(Reduction.NONE)));
        assertThat(rows[1]).isZero();
        double sum = rows[0] + rows[2] + rows[3];
        assertThat(data(x.crossEntropy(targets, all))[0]).isCloseTo(sum / 3, within(1e-14));
        assertThat(data(x.crossEntropy(targets, all.reduction(Reduction.SUM)))[0])
                .isCloseTo(sum, within(1e-14));
        Differences.check(in -> in.getFirst().crossEntropy(targets, all.smoothing(0.2)), x);
    }

    @Test
    void crossEntropyKeepsTheLogitsAndTwoNumbersARow() {
        var x = Differences.normal(1, 8, 16);
        var targets = Array.of(1, 2, 3, 4, 5, 6, 7, 8);
        var grad = Ebb.compile(Ebb.grad((Tensor t) -> t.crossEntropy(targets)));
        var graph = grad.plan(x).layout().schedule().problem().graph();
        var back = graph.nodes().stream().filter(n -> n.reverse()).toList();
        var made =
                graph.nodes().stream().filter(n -> !n.reverse()).flatMap(n -> n.outputs().stream());
        assertThat(made.filter(o -> back.stream().anyMatch(n -> n.inputs().contains(o))))
                .allMatch(o -> o.type().size() <= 8);
        grad.close();
    }

    @Test
    void targetsThatDoNotFitAreTold() {
        var x = Differences.normal(1, 2, 3);
        assertThatThrownBy(() -> x.crossEntropy(Array.of(0, 3))).hasMessageContaining("index 3");
        assertThatThrownBy(() -> x.crossEntropy(Array.of(0, 1, 2)))
                .hasMessageContaining("one element in each row");
        assertThatThrownBy(() -> x.crossEntropy(Array.of(0.0, 1.0)))
                .hasMessageContaining("must be integers");
        assertThatThrownBy(() -> CrossEntropy.mean().smoothing(1.5))
                .hasMessageContaining("not between 0 and 1");
    }

    @Test
    void softmaxOfRowsOfInfinities() {
        double low = Double.NEGATIVE_INFINITY;
        var x = Array.of(Shape.of(2, 2), 0.0, low, low, low);
        assertThat(data(x.softmax(-1))).containsExactly(1, 0, Double.NaN, Double.NaN);
        assertThat(data(x.logsumexp(-1))).containsExactly(0, low);
        assertThat(Tensors.zeros(DType.F32, Shape.of(2, 0)).softmax(-1).shape())
                .isEqualTo(Shape.of(2, 0));
    }

    @Test
    void softmaxKeepsItsResultAlone() {
        var x = Differences.normal(1, 8, 16);
        var grad = Ebb.compile(Ebb.grad((Tensor t) -> t.sin().softmax(1).square().sum()));
        var graph = grad.plan(x).layout().schedule().problem().graph();
        var back = graph.nodes().stream().filter(n -> n.reverse()).toList();
        var kept =
                graph.nodes().stream()
                        .filter(n -> !n.reverse())
                        .filter(
                                n ->
                                        back.stream()
                                                .anyMatch(
                                                        b ->
                                                                b.inputs()
                                                                        .contains(
                                                                                n.outputs()
                                                                                        .getFirst())))
                        .filter(n -> n.outputs().getFirst().type().size() > 8)
                        .map(n -> n.op().name())
                        .toList();
        assertThat(kept).containsExactly("softmax");
        grad.close();
    }

    /**
     * With elementwise chains merged, what crosses to the backward half is x and its statistics.
     */
    @Test
    void normalisationsKeepStatisticsAlone() {
        var x = Differences.normal(1, 8, 16);
        var w = Differences.normal(2, 16);
        var channels = Differences.normal(2, 8);
        List<Fn<Tensor, Tensor>> norms =
                List.of(
                        t -> t.layerNorm(w, w, 1e-5),
                        t -> t.rmsNorm(w, 1e-5),
                        t -> t.reshape(1, 8, 16).groupNorm(4, channels, channels, 1e-5),
                        t -> t.reshape(1, 8, 16).batchNorm(channels, channels, 1e-5).y());
        for (var norm : norms) {
            var grad = Ebb.compile(Ebb.grad((Tensor t) -> norm.apply(t).sum()));
            var graph = grad.plan(x).layout().schedule().problem().graph();
            var back = graph.nodes().stream().filter(n -> n.reverse()).toList();
            var made =
                    graph.nodes().stream()
                            .filter(n -> !n.reverse())
                            .flatMap(n -> n.outputs().stream());
            assertThat(made.filter(o -> back.stream().anyMatch(n -> n.inputs().contains(o))))
                    .allMatch(o -> o.type().size() <= 16);
            grad.close();
        }
    }

    @Test
    void sixteenBitFloatsAreNormalisedInThirtyTwo() {
        var type = dev.ebb.ir.Type.of(DType.BF16, 1, 512);
        var ones = Tensors.fill(type, 1);
        assertThat(((Array) ones.softmax(-1)).data().get(0)).isEqualTo(1.0 / 512);
        var weight = Tensors.fill(dev.ebb.ir.Type.of(DType.BF16, 512), 1);
        assertThat(((Array) ones.mul(3).rmsNorm(weight, 0)).data().get(7)).isEqualTo(1);
    }

    @Test
    void batchStatisticsComeBackAsValues() {
        var x = Array.of(Shape.of(2, 1, 2), 1.0, 3.0, 5.0, 7.0);
        var one = Array.of(1.0);
        var zero = Array.of(0.0);
        var n = x.batchNorm(one, zero, 0);
        assertThat(data(n.mean())).containsExactly(4);
        assertThat(data(n.variance())).containsExactly(5);
        var again = x.batchNorm(one, zero, n.mean(), n.variance(), 0);
        assertThat(data(again)).containsExactly(data(n.y()), within(1e-15));
    }

    @Test
    void normalisationsThatDoNotFitAreTold() {
        var x = Differences.normal(1, 2, 6, 4);
        var six = Differences.normal(1, 6);
        assertThatThrownBy(() -> x.layerNorm(six, six, 1e-5)).hasMessageContaining("last axes");
        assertThatThrownBy(() -> x.groupNorm(4, six, six, 1e-5))
                .hasMessageContaining("do not divide into 4 groups");
        assertThatThrownBy(() -> x.batchNorm(Array.of(1.0), six, 1e-5))
                .hasMessageContaining("one number a channel");
    }
}
