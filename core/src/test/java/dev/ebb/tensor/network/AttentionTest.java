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

import org.junit.jupiter.api.Test;

import java.util.List;

class AttentionTest {
    private final Array q = Differences.normal(1, 1, 4, 3, 2);
    private final Array k = Differences.normal(2, 1, 2, 5, 2);
    private final Array v = Differences.normal(3, 1, 2, 5, 3);
    private final Array mask = Differences.normal(4, 4, 1, 5);

    /** The same with the matrix in memory. */
    private static Tensor plain(Tensor q, Tensor k, Tensor v, Tensor mask) {
        int group = q.dim(1) / k.dim(1);
        var keys = k.repeat(group, 1);
        var values = v.repeat(group, 1);
        var scores = q.matmul(keys.transpose()).mul(0.7).add(mask);
        return scores.softmax(-1).matmul(values);
    }

    @Test
    void groupsOfQueriesShareKeysUnderAMask() {
        var options = Attention.full().scale(0.7).mask(mask);
        var found = (Array) q.attention(k, v, options);
        var expected = (Array) plain(q, k, v, mask);
        assertThat(found.shape()).isEqualTo(Shape.of(1, 4, 3, 3));
        assertThat(found.toDoubles()).containsExactly(expected.toDoubles(), within(1e-14));
    }

    @Test
    void derivativesByAllOperandsAndTheMask() {
        Differences.check(
                in -> in.get(0).attention(in.get(1), in.get(2), Attention.past().mask(in.get(3))),
                q,
                k,
                v,
                mask);
    }

    @Test
    void moreQueriesThanKeysLeaveSomeWithNothing() {
        var late = Differences.normal(5, 1, 1, 2, 2);
        var values = Differences.normal(6, 1, 1, 2, 2);
        var early = Differences.normal(7, 1, 1, 4, 2);
        Fn<List<Tensor>, Tensor> f =
                in -> in.get(0).attention(in.get(1), in.get(2), Attention.past());
        var y = f.apply(List.of(early, late, values)).toDoubles();
        assertThat(y[0]).isZero();
        assertThat(y[4]).isEqualTo(values.data().get(0));
        Differences.check(f, early, late, values);
    }

    @Test
    void theMatrixOfScoresIsNeverInMemory() {
        long time = 32;
        var x = Differences.normal(1, 1, 2, (int) time, 4);
        var grad = Ebb.compile(Ebb.grad((Tensor t) -> t.attention(t, t, Attention.past()).sum()));
        var graph = grad.plan(x).schedule().problem().graph();
        assertThat(graph.nodes())
                .flatMap(n -> n.outputs())
                .allMatch(o -> o.type().size() < time * time);
        grad.close();
    }

    @Test
    void misfitsAreTold() {
        assertThatThrownBy(() -> q.attention(k, Differences.normal(3, 1, 2, 4, 3)))
                .hasMessageContaining("as many values as keys");
        assertThatThrownBy(() -> q.attention(k, v.cast(DType.F32)))
                .hasMessageContaining("floats of one type");
        var wrong = Attention.full().mask(Differences.normal(1, 3, 5).gt(0));
        assertThatThrownBy(() -> q.attention(k, v, wrong))
                .hasMessageContaining("where(seen, 0, -infinity)");
    }
}
