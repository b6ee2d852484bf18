package dev.ebb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.ir.DType;
import dev.ebb.ir.Shape;
import dev.ebb.ir.ShapeException;
import dev.ebb.ir.Type;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

/** What a wrong input is told: what was given, what was expected, what would help. */
class BadInputTest {
    private static final Array X = Array.of(Shape.of(3, 4), new double[12]);
    private static final Array INTS = Array.of(Type.of(DType.I32, 3, 4), new double[12]);

    private static void refused(ThrowingCallable call, String... words) {
        assertThatThrownBy(call).isInstanceOf(ShapeException.class).hasMessageContainingAll(words);
    }

    @Test
    void shapes_that_do_not_broadcast() {
        var y = Array.of(1.0, 2.0, 3.0);
        refused(
                () -> X.add(y),
                "add",
                "[3,4]",
                "[3]",
                "axis -1",
                "sizes 4 and 3",
                "insert an axis");
        refused(() -> X.lt(y), "lt", "[3,4]", "[3]");
        refused(() -> Tensors.where(X.gt(0), X, y), "where", "[3,4]", "[3]");
        refused(() -> X.broadcastTo(Shape.of(3, 5)), "[3,4]", "[3,5]");
    }

    @Test
    void products_and_joins_that_do_not_fit() {
        refused(() -> X.matmul(X), "matmul", "f64[3,4]", "has 4", "has 3", "transpose");
        refused(() -> X.matmul(Array.scalar(1.0)), "scalar", "use mul");
        refused(
                () -> Tensors.concat(List.of(X, X.transpose()), 0),
                "concat",
                "f64[4,3]",
                "f64[3,4]");
        refused(() -> Tensors.concat(List.of(), 0), "concat of no tensors");
        refused(() -> Tensors.concat(List.of(X, INTS), 0), "i32[3,4]", "f64[3,4]");
    }

    @Test
    void element_types_that_differ() {
        var y = Array.of(1f, 2f, 3f, 4f);
        refused(
                () -> X.add(y),
                "add",
                "f64[3,4]",
                "f32[4]",
                "nothing is converted silently",
                "cast");
        refused(() -> X.eq(y), "eq", "f64[3,4]", "f32[4]", "cast");
        refused(() -> X.matmul(y.reshape(4, 1)), "matmul", "f64", "f32", "cast");
        // the cast that is named loses nothing, whichever operand comes first
        refused(() -> X.add(y), "y.cast(DType.F64)");
        refused(() -> y.add(X), "x.cast(DType.F64)");
        refused(() -> INTS.mul(y), "x.cast(DType.F32)");
        refused(() -> y.mul(INTS), "y.cast(DType.F32)");
    }

    @Test
    void outputs_and_targets_that_would_all_meet() {
        var outputs = Array.of(Shape.of(3, 1), 1.0, 2.0, 3.0);
        var targets = Array.of(1.0, 2.0, 3.0);
        refused(() -> outputs.mseLoss(targets), "mse_loss", "f64[3,1]", "f64[3]", "[3,3]");
        refused(() -> targets.mseLoss(outputs), "mse_loss", "every other", "reshape");
        refused(() -> outputs.l1Loss(targets), "l1_loss", "reshape");
        refused(() -> outputs.huberLoss(targets, 1), "huber_loss", "reshape");
        refused(() -> outputs.bceWithLogits(targets), "bce_with_logits", "reshape");
        // one number for all, and one row for all
        assertThat(outputs.mseLoss(Array.scalar(2.0)).item()).isEqualTo(2.0 / 3);
        assertThat(X.l1Loss(Array.of(1.0, 2.0, 3.0, 4.0)).item()).isEqualTo(2.5);
    }

    @Test
    void element_types_that_make_no_sense() {
        refused(() -> INTS.exp(), "exp", "i32[3,4]", "cast");
        refused(() -> INTS.floor(), "floor", "i32[3,4]", "cast");
        refused(() -> INTS.mean(), "mean", "i32[3,4]", "cast");
        refused(() -> INTS.add(2.5), "2.5", "i32[3,4]", "whole numbers");
        refused(() -> X.and(X), "and", "f64[3,4]", "compare first");
        refused(() -> X.any(), "any", "f64[3,4]", "compare first");
        refused(() -> X.gt(0).sum(), "sum", "bool[3,4]", "cast");
        refused(() -> X.gt(0).add(X.gt(0)), "add", "bool");
        refused(() -> INTS.isNan(), "is_nan", "i32[3,4]");
        refused(() -> Tensors.where(X, X, X), "where", "must be bool", "f64[3,4]");
    }

    @Test
    void numbers_that_an_op_forbids() {
        refused(() -> X.clamp(1, 0), "clamp", "low is 1.0", "high is 0.0");
        refused(() -> X.clamp(Double.NaN, 0), "clamp", "low is NaN");
        refused(() -> X.norm(0.5, List.of(0), false), "norm", "p is 0.5");
        refused(() -> X.polygamma(-1), "polygamma", "order -1");
        refused(() -> Tensors.arange(DType.F64, 0, 1, -1), "arange", "steps of -1.0");
        refused(() -> Tensors.arange(DType.F64, 0, 1, Double.NaN), "arange", "NaN");
        refused(() -> X.topk(5, 1), "topk", "5 of axis 1", "f64[3,4]");
    }

    @Test
    void axes_that_do_not_exist() {
        refused(() -> X.sum(2), "axis 2 does not exist", "[3,4]", "rank 2");
        refused(() -> X.sum(List.of(0, -2), false), "[0, -2]", "twice");
        refused(() -> X.permute(0, 0), "permute", "[0, 0]", "f64[3,4]");
        refused(() -> X.unsqueeze(4), "unsqueeze", "axis 4", "f64[3,4]");
        refused(() -> X.squeeze(0), "squeeze", "axis 0", "has 3 elements");
        refused(() -> Array.of(1.0).transpose(), "transpose", "two axes", "f64[1]");
        refused(() -> Tensors.stack(List.of(X), 3), "stack", "axis 3", "rank 3");
        refused(() -> Tensors.zeros(DType.F64, Shape.of(0, 2)).amax(0), "amax", "axis 0 is empty");
    }

    @Test
    void shapes_that_hold_another_number_of_elements() {
        refused(() -> X.reshape(5, 2), "reshape", "12 elements", "[5,2]", "10");
        refused(() -> X.reshape(5, -1), "reshape", "f64[3,4]", "[5, -1]");
        refused(() -> X.reshape(-1, -1), "reshape", "only one");
        refused(() -> X.reshape(-3, 4), "negative axis", "-3");
        refused(() -> Array.of(Shape.of(2, 2), 1.0, 2.0), "2 elements", "f64[2,2]", "holds 4");
    }

    @Test
    void parts_that_are_not_there() {
        refused(() -> X.slice(1, 2, 5), "slice", "[2, 5)", "axis 1", "has 4");
        refused(() -> X.slice(1, 3, 2), "slice", "[3, 2)", "use flip");
        refused(() -> X.slice(List.of(0), List.of(1), List.of(1)), "each axis", "f64[3,4]");
        refused(() -> X.split(1, 1, 2), "split", "[1, 2]", "axis 1", "has 4");
        refused(() -> X.chunk(3, 1), "chunk", "does not divide into 3", "use split");
        refused(() -> X.pad(List.of(-1, 0), List.of(0, 0)), "pad", "from 0 on");
        var truths = Tensors.ones(DType.BOOL, 2);
        refused(() -> truths.pad(List.of(0), List.of(1), 0.3), "0.3", "bool[2]", "whole numbers");
        refused(() -> Tensors.fill(Type.of(DType.I32), 1e12), "1.0E12", "i32[]", "hold it");
    }

    @Test
    void sizes_that_overflow() {
        int big = 1 << 30;
        refused(() -> Shape.of(big, big, big), "[1073741824, 1073741824, 1073741824]", "count");
        refused(() -> Shape.of(big, big), "memory can address");
        refused(() -> Shape.of(-1), "negative axis");
        refused(
                () -> Array.make(Type.of(DType.F64, big, 4), _ -> {}),
                "34359738368 bytes",
                "at most",
                "split it");
        var empty = Tensors.zeros(DType.F32, Shape.of(big, 0));
        refused(() -> Tensors.concat(List.of(empty, empty), 0), "concat", "2147483648");
        refused(() -> empty.pad(List.of(big, 0), List.of(big, 0)), "pad", "3221225472");
        refused(() -> empty.repeat(2, 0), "repeat", "2147483648");
    }

    @Test
    void indices_outside_their_axis() {
        for (long bad : new long[] {-1, 4}) {
            assertThatThrownBy(() -> X.indexSelect(1, Array.of(0L, bad)))
                    .isInstanceOf(IndexOutOfBoundsException.class)
                    .hasMessageContainingAll("index " + bad, "4 elements", "0 to 3");
            assertThatThrownBy(() -> X.indexAdd(1, Array.of(bad), X.slice(1, 0, 1)))
                    .isInstanceOf(IndexOutOfBoundsException.class)
                    .hasMessageContainingAll("index " + bad, "4 elements", "0 to 3");
        }
    }

    @Test
    void indices_of_the_wrong_kind() {
        refused(() -> X.indexSelect(0, Array.of(1.0)), "i32 or i64", "f64[1]", "cast");
        refused(() -> X.gather(1, Array.of(1L)), "[1]", "[3,4]", "same rank");
        refused(() -> X.gather(1, Array.of(Shape.of(4, 1), new long[4])), "[4,1]", "longer");
        refused(() -> X.takeAlong(1, Array.of(1L)), "takeAlong", "i64[1]", "insert axes");
        refused(() -> Array.of(1.0).embedding(Array.of(0L)), "embedding", "[rows, width]");
        var i = Array.of(Shape.of(3, 1), new long[3]);
        refused(() -> X.scatterAdd(1, i, X), "scatter", "f64[3,4]", "[3,1]");
        var two = Array.of(Shape.of(3, 2), new long[6]);
        refused(() -> X.scatter(1, two, X), "scatter_set(1)", "i64[3,2]", "f64[3,4]", "size 1");
        refused(() -> X.scatter(1, i, X.cast(DType.F32)), "scatter_set(1)", "f32[3,4]", "same");
        refused(() -> X.gt(0).scatterMax(1, i, X.gt(0)), "scatter_max(1)", "bool[3,4]", "cast");
        refused(() -> X.indexCopy(0, i, X), "indexCopy", "i64[3,1]", "one axis");
        refused(() -> Tensors.oneHot(X, 3, DType.F32), "oneHot", "integer", "f64[3,4]");
    }

    @Test
    void a_loss_that_is_not_one_float() {
        Fn<Tensor, Tensor> vector = t -> t.exp();
        refused(() -> Ebb.grad(vector).apply(X), "one float", "f64[3,4]", "sum()", "jacobian");
        refused(() -> Ebb.grad((Tensor t) -> t.argmax(0).sum()).apply(X), "one float", "i64[]");
        refused(
                () -> Ebb.grad((Tensor t) -> t.cast(DType.F64).square().sum()).apply(INTS),
                "grad by i32[3,4]",
                "only floats",
                "cast");
    }

    @Test
    void directions_and_cotangents_of_another_type() {
        Fn<Tensor, Tensor> f = t -> t.sum(0);
        refused(() -> Ebb.vjp(f).apply(X, X), "cotangent", "f64[3,4]", "f64[4]");
        refused(() -> Ebb.jvp(f).apply(X, Array.of(1.0)), "direction", "f64[1]", "f64[3,4]");
    }

    @Test
    void a_traced_tensor_that_leaked() {
        var leaked = new ArrayList<Tensor>();
        Fn<Tensor, Tensor> f =
                t -> {
                    leaked.add(t.exp());
                    return t.sum();
                };
        Ebb.grad(f).apply(X);
        assertThatThrownBy(() -> leaked.getFirst().add(1))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContainingAll("f64[3,4]", "already returned", "return it");
        assertThatThrownBy(() -> Ebb.grad((Tensor t) -> t.add(leaked.getFirst()).sum()).apply(X))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContainingAll("add", "another trace", "already returned");
    }

    @Test
    void a_tensor_of_a_trace_that_does_not_enclose_this_one() {
        var inner = new ArrayList<Tensor>();
        Fn<Tensor, Tensor> f =
                t -> {
                    Ebb.grad(
                                    (Tensor s) -> {
                                        inner.add(s);
                                        return s.sum();
                                    })
                            .apply(t);
                    return t.mul(inner.getFirst()).sum();
                };
        assertThatThrownBy(() -> Ebb.grad(f).apply(X))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContainingAll("mul", "another trace", "pass it as an argument");
    }

    @Test
    void functions_that_are_null() {
        Fn<Tensor, Tensor> none = null;
        Fn2<Tensor, Tensor, Tensor> none2 = null;
        Fn3<Tensor, Tensor, Tensor, Tensor> none3 = null;
        List<ThrowingCallable> calls =
                List.of(
                        () -> Ebb.compile(none),
                        () -> Ebb.compile(none2),
                        () -> Ebb.compile(none3),
                        () -> Ebb.grad(none),
                        () -> Ebb.grad(none2),
                        () -> Ebb.grad(none3),
                        () -> Ebb.grad(none, new By<Tensor, Tensor>(x -> x, (_, x) -> x)),
                        () -> Ebb.valueAndGrad(none),
                        () -> Ebb.valueAndGrad(none2),
                        () -> Ebb.valueGradAndExtra((Fn<Tensor, Ebb.WithExtra<Tensor>>) null),
                        () -> Ebb.vjp(none),
                        () -> Ebb.jvp(none),
                        () -> Ebb.hvp(none),
                        () -> Ebb.jacobian(none),
                        () -> Ebb.hessian(none),
                        () -> Ebb.hessianBlocks(none),
                        () -> Ebb.vmap(none),
                        () -> Ebb.vmap(none, new By<Tensor, Tensor>(x -> x, (_, x) -> x)),
                        () -> Ebb.vmap(none2),
                        () -> Ebb.vmap(none2, 0, 1),
                        () -> Ebb.vmap(none3, 0, 1, 1),
                        () -> Ebb.custom(none, (_, _, d) -> d),
                        () -> Ebb.custom((Tensor x) -> x, null),
                        () -> Ebb.stepper((Fn2<Tensor, Tensor, Next<Tensor, Tensor>>) null));
        for (var call : calls)
            assertThatThrownBy(call)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("the function is null");
    }

    @Test
    void numbers_that_an_int_does_not_hold() {
        assertThatThrownBy(() -> Array.of(3L, -(1L << 31) - 1).toInts())
                .isInstanceOf(ArithmeticException.class)
                .hasMessage("toInts() of -2147483649, which an int does not hold; use toLongs()");
        assertThat(Array.of(-(1L << 31), (1L << 31) - 1).toInts())
                .containsExactly(Integer.MIN_VALUE, Integer.MAX_VALUE);
    }
}
