package dev.ebb;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.ir.Control;
import dev.ebb.ir.DType;
import dev.ebb.plan.Budget;
import dev.ebb.plan.Keep;
import dev.ebb.plan.Policy;
import dev.ebb.plan.schedule.Step;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/** The names that a user gives are labels of nodes, in whatever form the nodes are planned. */
class LabelTest {

    private static Tensor loss(ReversibleTest.Net net, boolean naming) {
        var x = Reversible.Streams.of(net.x());
        var blocks = net.blocks();
        for (int i = 0; i < blocks.size(); i++) {
            x = blocks.get(i).apply(x);
            if (naming)
                x =
                        new Reversible.Streams(
                                Ebb.name(x.first(), "first " + i),
                                Ebb.name(x.second(), "second " + i));
        }
        return x.sum().square().mean();
    }

    private static Fn<ReversibleTest.Net, Ebb.ValueAndGrad<ReversibleTest.Net>> gradient(
            boolean naming) {
        return Ebb.valueAndGrad(n -> loss(n, naming));
    }

    private static long inverted(dev.ebb.plan.Plan plan) {
        return plan.schedule().steps().stream().filter(s -> s instanceof Step.Invert).count();
    }

    /** At the least budget named streams are rebuilt as unnamed ones are, in the same bytes. */
    @Test
    void namedStreamsAreRebuilt() {
        var net = ReversibleTest.Net.of(4, 5);
        try (var plain = Ebb.compile(gradient(false));
                var named = Ebb.compile(gradient(true))) {
            long least = plain.plan(net).leastBytes();
            assertThat(named.plan(net).leastBytes()).isEqualTo(least);
            try (var tight = Ebb.compile(gradient(true)).within(Budget.bytes(least));
                    var unnamed = Ebb.compile(gradient(false)).within(Budget.bytes(least))) {
                assertThat(inverted(tight.plan(net)))
                        .isEqualTo(inverted(unnamed.plan(net)))
                        .isPositive();
                ReversibleTest.sameBits(tight.apply(net), plain.apply(net), "named");
            }
        }
    }

    /** A loop whose result has a name answers to it, whatever room it was given. */
    @Test
    void aLoopKeepsItsName() {
        Fn<Tensor, Tensor> f =
                x -> Ebb.name(Loop.repeat(6, x, Tensor::sin), "rounds").square().sum();
        try (var compiled =
                Ebb.compile(Ebb.grad(f)).with(new Keep(Policy.names("rounds").or(_ -> false)))) {
            var nodes =
                    compiled.plan(Array.of(0.1, 0.2)).schedule().problem().graph().nodes().stream()
                            .filter(n -> !n.reverse() && n.kernel() instanceof Control)
                            .toList();
            assertThat(nodes).isNotEmpty();
            assertThat(nodes).allMatch(n -> n.labels().contains("rounds"));
        }
    }

    private static boolean isPlanned(Fn<Tensor, Tensor> f, Array x) {
        try (var compiled = Ebb.compile(Ebb.grad(f))) {
            return compiled.plan(x).schedule().problem().graph().nodes().stream()
                    .anyMatch(n -> n.labels().contains("here"));
        }
    }

    /** A label stays with its value whatever kernel computes it, and through every pass. */
    @Test
    void everyKindOfKernelKeepsItsLabel() {
        UnaryOperator<Tensor> here = t -> Ebb.name(t, "here");
        var x = Array.of(new double[][] {{0.3, 0.1}, {0.2, 0.4}});
        var index = Array.of(new int[][] {{1}, {0}});
        var functions =
                Map.<String, Fn<Tensor, Tensor>>of(
                        "map", t -> here.apply(t.sin()).square().sum(),
                        "fold", t -> here.apply(t.sum(1)).square().sum(),
                        "product", t -> here.apply(t.matmul(t)).square().sum(),
                        "rows", t -> here.apply(t.softmax(1)).square().sum(),
                        "gather of a widened value",
                                t ->
                                        here.apply(
                                                        t.cast(DType.BF16)
                                                                .square()
                                                                .cast(DType.F32)
                                                                .takeAlong(1, index))
                                                .square()
                                                .sum(),
                        "one example of many",
                                t ->
                                        Ebb.vmap((Tensor r) -> here.apply(r.sin()).mul(r))
                                                .apply(t)
                                                .sum(),
                        "branch",
                                t ->
                                        here.apply(
                                                        Loop.cond(
                                                                t.sum().gt(0),
                                                                () -> t.sin(),
                                                                () -> t.cos()))
                                                .square()
                                                .sum());
        functions.forEach((kind, f) -> assertThat(isPlanned(f, x)).as(kind).isTrue());
    }

    /** Nodes that compute the same are one, which has the labels of both. */
    @Test
    void whatIsComputedOnceHasAllItsNames() {
        Fn<Tensor, Tensor> f =
                t -> Ebb.name(t.sin(), "first").mul(Ebb.name(t.sin(), "second").exp()).sum();
        try (var compiled = Ebb.compile(Ebb.grad(f))) {
            assertThat(compiled.plan(Array.of(0.1, 0.2)).schedule().problem().graph().nodes())
                    .anyMatch(n -> n.labels().containsAll(List.of("first", "second")));
        }
    }
}
