package dev.ebb.tensor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.ebb.Differences;
import dev.ebb.ir.Shape;

import org.junit.jupiter.api.Test;

class EinsumTest {
    private final Array x = Differences.normal(1, 3, 3, 2);
    private final Array y = Differences.normal(2, 2, 4);

    private static void same(Tensor found, Tensor expected) {
        assertThat(found.shape()).isEqualTo(expected.shape());
        assertThat(((Array) found).toDoubles())
                .containsExactly(((Array) expected).toDoubles(), within(1e-13));
    }

    @Test
    void equationsAreWhatTheyMean() {
        same(x.einsum("abc->c"), x.sum(0).sum(0));
        same(x.einsum("abc->cba"), x.permute(2, 1, 0));
        same(x.einsum("aac->ca"), x.permute(2, 0, 1).diagonal());
        same(x.einsum("abc , cd -> dab", y), x.matmul(y).permute(2, 0, 1));
        same(x.einsum("abc,cd->d", y), x.matmul(y).sum(0).sum(0));
        same(x.einsum("cab,bd", y), x.permute(1, 0, 2).matmul(y));
        same(x.einsum("abc,abc->", x), x.square().sum());
        same(y.einsum("cd,cd->c", y), y.square().sum(1));
        same(y.einsum("ab,cd->abcd", y), y.reshape(8, 1).mul(y.reshape(1, 8)).reshape(2, 4, 2, 4));
        same(
                Differences.normal(3, 2, 2, 2).einsum("aaa->a"),
                Differences.normal(3, 2, 2, 2).reshape(8).slice(0, 0, 8, 7));
    }

    @Test
    void vectors() {
        var a = Array.of(1.0, 2.0);
        var b = Array.of(3.0, 5.0);
        assertThat(((Array) a.dot(b)).item()).isEqualTo(13);
        assertThat(((Array) a.outer(b)).toDoubles()).containsExactly(3, 5, 6, 10);
        assertThat(((Array) a.diag().diagonal(1)).toDoubles()).containsExactly(0);
        assertThat(x.diagonal(-2).shape()).isEqualTo(Shape.of(3, 1));
        assertThat(x.diagonal(9).shape()).isEqualTo(Shape.of(3, 0));
    }

    @Test
    void derivativesOfDiagonals() {
        Differences.check(in -> in.getFirst().square().einsum("aab->ba"), x);
        Differences.check(in -> in.getFirst().square().diagonal(-1), x);
        Differences.check(in -> in.getFirst().square().diag(), y);
    }

    @Test
    void equationsThatDoNotFitAreTold() {
        assertThatThrownBy(() -> x.einsum("ab,bc->ac", y))
                .hasMessageContaining("'ab' names 2 axes")
                .hasMessageContaining("has 3");
        assertThatThrownBy(() -> x.einsum("abc->ad")).hasMessageContaining("'d' is in no operand");
        assertThatThrownBy(() -> x.einsum("abc->aa")).hasMessageContaining("'a' twice");
        assertThatThrownBy(() -> x.einsum("abc,bd->acd", y))
                .hasMessageContaining("'b' has 3 elements in one place and 2");
        assertThatThrownBy(() -> x.einsum("...c->c")).hasMessageContaining("'.' is no letter");
        assertThatThrownBy(() -> x.einsum("abc,cd->abd")).hasMessageContaining("2 operands");
        assertThatThrownBy(() -> x.einsum("abc,cd,de->abe", y, y))
                .hasMessageContaining("one or two at a time");
    }
}
