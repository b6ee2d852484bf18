package dev.ebb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.ir.DType;
import dev.ebb.ir.Shape;
import dev.ebb.ir.ShapeException;
import dev.ebb.ir.Type;
import dev.ebb.plan.Budget;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;

import org.junit.jupiter.api.Test;

import java.util.List;

/** What a user reads of a result, writes for an argument and sees printed. */
class ReadingTest {

    @Test
    void resultsAreReadWithoutCasts() {
        try (var f = Ebb.compile((Tensor x) -> x.mul(2))) {
            var y = f.apply(Array.of(new float[][] {{1, 2, 3}, {4, 5, 6}}));
            assertThat(y.get(1, 2)).isEqualTo(12);
            assertThat(y.get(-1, -3)).isEqualTo(8);
            assertThat(y.toFloats()).containsExactly(2, 4, 6, 8, 10, 12);
            assertThat(y.toDoubles()).containsExactly(2, 4, 6, 8, 10, 12);
            assertThat(y.toInts()).containsExactly(2, 4, 6, 8, 10, 12);
            assertThat(y.sum().item()).isEqualTo(42);
            assertThatThrownBy(y::item).hasMessageContaining("one element");
            assertThatThrownBy(() -> y.get(1)).hasMessageContaining("2 axes");
            assertThatThrownBy(() -> y.get(2, 0)).hasMessageContaining("below 2");
        }
    }

    @Test
    void aTraceRefusesToBeReadAndSaysWhatToDo() {
        try (var f = Ebb.compile((Tensor x) -> x.mul(x.sum().item()))) {
            assertThatThrownBy(() -> f.apply(Array.of(1f, 2f)))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("item()")
                    .hasMessageContaining("has no data yet")
                    .hasMessageContaining("Loop.cond");
        }
    }

    @Test
    void aTapeIsReadLikeAResult() {
        try (var tape = new Tape(Budget.of("1MiB"))) {
            var x = tape.watch(Array.of(1.0, 2.0));
            assertThat(x.square().sum().item()).isEqualTo(5);
        }
    }

    @Test
    void wholeNumbersAreOfOneType() {
        var scores = Array.of(new double[][] {{1, 3, 2}, {9, 0, 1}});
        var hits = scores.argmax(1, false).eq(Array.of(1, 2));
        assertThat(hits.toInts()).containsExactly(1, 0);
        assertThat(Array.of(Shape.of(1, 2), 3, 4).dtype()).isEqualTo(DType.I64);
        assertThat(Array.of(new int[][] {{3}, {4}}).type()).isEqualTo(Type.of(DType.I64, 2, 1));
        assertThatThrownBy(() -> Array.of(new float[][] {{1, 2}, {3}}))
                .isInstanceOf(ShapeException.class)
                .hasMessageContaining("row 1 has 1");
    }

    @Test
    void shapesAreGivenAxisByAxis() {
        assertThat(Tensors.zeros(DType.F32, 2, 3).shape()).isEqualTo(Shape.of(2, 3));
        assertThat(Tensors.ones(DType.F32, 3).broadcastTo(2, 3).sum().item()).isEqualTo(6);
    }

    @Test
    void tensorsPrintAsTables() {
        assertThat(Array.of(1f, 2f)).hasToString("f32[2][1.0, 2.0]");
        assertThat(Array.of(new double[][] {{1, -20}, {3.5, 4}}))
                .hasToString("f64[2,2]\n[[1.0, -20.0],\n [3.5,   4.0]]");
        assertThat(Array.of(Shape.of(2, 1, 2), 1, 2, 3, 4))
                .hasToString("i64[2,1,2]\n[[[1, 2]],\n\n [[3, 4]]]");
        assertThat(Tensors.arange(DType.I64, 20).reshape(20, 1).toString())
                .contains(" [ 5],\n ...,\n [14],");
    }

    record Net(Tensor weight, List<Tensor> bias) {}

    @Test
    void modelsPrintAsSummaries() {
        var net = new Net(Tensors.zeros(DType.F32, 20, 60), List.of(Array.of(1f, 2f)));
        assertThat(Tensorwise.summary(net))
                .isEqualTo(
                        """
                        name    type        parameters  bytes
                        weight  f32[20,60]       1,200  4,800
                        bias.0  f32[2]               2      8
                        all     2 tensors        1,202  4,808
                        """);
    }

    @Test
    void budgetsAreReadAsPeopleWriteThem() {
        assertThat(Budget.of("64MiB")).isEqualTo(Budget.mebibytes(64));
        assertThat(Budget.of("80%")).isEqualTo(Budget.share(0.8));
        assertThatThrownBy(() -> Budget.of("much")).hasMessageContaining("64MiB");
    }

    @Test
    void functionsOfTwoAndThreeArguments() {
        Fn2<Tensor, Tensor, Tensor> f = (a, b) -> a.mul(b).mul(b).sum();
        var a = Array.of(2.0, 3.0);
        var b = Array.of(5.0, 7.0);
        try (var first = Ebb.compile(Ebb.grad(f));
                var second = Ebb.compile(Ebb.grad(f, By.second())).within(Budget.of("1MiB"));
                var both = Ebb.compile(Ebb.valueAndGrad(f, By.both()))) {
            assertThat(first.apply(a, b).toDoubles()).containsExactly(25, 49);
            assertThat(second.apply(a, b).toDoubles()).containsExactly(20, 42);
            assertThat(second.report().measuredBytes()).isLessThanOrEqualTo(1 << 20);
            assertThat(both.apply(a, b).value().item()).isEqualTo(197);
            assertThat(both.apply(a, b).grad().first().toDoubles()).containsExactly(25, 49);
        }
        Fn3<Tensor, Tensor, Tensor, Tensor> g = (x, y, z) -> x.mul(y).mul(z).sum();
        try (var third = Ebb.compile(Ebb.grad(g, By.thirdOf3()))) {
            assertThat(third.apply(a, b, a).toDoubles()).containsExactly(10, 21);
        }
        var part = new By<Net, Tensor>(Net::weight, (net, w) -> new Net(w, net.bias()));
        var net = new Net(a, List.of(b));
        var byPart = Ebb.grad((Net n) -> n.weight().mul(n.bias().getFirst()).sum(), part);
        assertThat(byPart.apply(net).toDoubles()).containsExactly(5, 7);
    }

    @Test
    void whatAFunctionClosesOverFreezesAtTheFirstCall() {
        var factor = new Tensor[] {Array.of(2.0)};
        try (var f = Ebb.compile((Tensor x) -> x.mul(factor[0]))) {
            assertThat(f.apply(Array.of(3.0)).item()).isEqualTo(6);
            factor[0] = Array.of(5.0);
            assertThat(f.apply(Array.of(3.0)).item()).isEqualTo(6);
        }
    }
}
