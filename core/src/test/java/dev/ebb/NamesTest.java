package dev.ebb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.ir.Kernel;
import dev.ebb.ir.Node;
import dev.ebb.ir.Shape;
import dev.ebb.plan.Every;
import dev.ebb.plan.Keep;
import dev.ebb.plan.PerRegion;
import dev.ebb.plan.Plan;
import dev.ebb.plan.Planner;
import dev.ebb.plan.Policy;
import dev.ebb.plan.RecomputeAll;
import dev.ebb.plan.StoreAll;
import dev.ebb.plan.schedule.Step;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** Names, kinds, sizes and rules decide what is kept; regions nest and strategies mix. */
class NamesTest {
    private static final int WIDTH = 16;
    private static final int LAYERS = 4;

    record Net(List<Tensor> weights) {}

    private static Net net() {
        var weights = new ArrayList<Tensor>();
        for (int l = 0; l < 2 * LAYERS; l++) weights.add(noise(l, WIDTH, WIDTH));
        return new Net(weights);
    }

    private static Array noise(int seed, int... dims) {
        var shape = Shape.of(dims);
        var data = new float[(int) shape.size()];
        for (int i = 0; i < data.length; i++) data[i] = (float) Math.sin(seed + 0.7 * i) / 3;
        return Array.of(shape, data);
    }

    /** Blocks of a part "attn" and a part "wide", whose activations are named so. */
    private static Tensor loss(Net net, boolean naming) {
        Tensor h = noise(99, 32, WIDTH);
        for (int l = 0; l < LAYERS; l++) {
            int block = l;
            Tensor x = h;
            h =
                    Ebb.region(
                            "block " + l,
                            () -> {
                                var a = part(net, 2 * block, x, "attn", naming);
                                return part(net, 2 * block + 1, a, "wide", naming);
                            });
        }
        return h.square().sum();
    }

    private static Tensor part(Net net, int l, Tensor x, String name, boolean naming) {
        return Ebb.region(
                name,
                () -> {
                    var product = x.matmul(net.weights().get(l));
                    var y = product.tanh();
                    return naming ? Ebb.name(y, name) : y;
                });
    }

    private static Compiled<Net, Ebb.ValueAndGrad<Net>> compiled(Planner strategy, boolean naming) {
        return Ebb.compile(Ebb.valueAndGrad((Net n) -> loss(n, naming))).with(strategy);
    }

    /** How often the nodes of the forward half that {@code which} picks are computed, summed. */
    private static long computed(Plan plan, Predicate<Node> which) {
        return plan.schedule().steps().stream()
                .filter(
                        s ->
                                s instanceof Step.Compute(var node, _)
                                        && !node.reverse()
                                        && which.test(node))
                .count();
    }

    private static boolean isNamed(Node node, String name) {
        return node.labels().contains(name);
    }

    private static boolean isProduct(Node node) {
        return node.kernel() instanceof Kernel.Contract;
    }

    @Test
    void a_name_changes_no_bit_and_costs_no_kernel() {
        for (Planner strategy : List.of(new StoreAll(), new RecomputeAll(), new Every(1))) {
            try (var plain = compiled(strategy, false);
                    var named = compiled(strategy, true)) {
                assertSame(plain.apply(net()), named.apply(net()));
                assertThat(named.report().computed()).isEqualTo(plain.report().computed());
                assertThat(named.report().recomputed()).isEqualTo(plain.report().recomputed());
                assertThat(named.report().promisedBytes())
                        .isEqualTo(plain.report().promisedBytes());
            }
        }
        try (var named = compiled(new StoreAll(), true).unfused();
                var plain = compiled(new StoreAll(), false).unfused()) {
            assertSame(plain.apply(net()), named.apply(net()));
            assertThat(named.report().computed()).isEqualTo(plain.report().computed());
        }
    }

    /** A named and an unnamed read of one value are still one computation. */
    @Test
    void a_name_does_not_hide_equal_things() {
        Fn<Tensor, Tensor> twice = x -> x.exp().sum(0).add(Ebb.name(x, "x").exp().sum(0)).sum();
        Fn<Tensor, Tensor> plain = x -> x.exp().sum(0).add(x.exp().sum(0)).sum();
        var x = noise(1, 8, 8);
        try (var a = Ebb.compile(twice);
                var b = Ebb.compile(plain)) {
            assertThat(a.apply(x).sameBits((Array) b.apply(x))).isTrue();
            assertThat(a.report().computed()).isEqualTo(b.report().computed());
        }
    }

    private static void assertSame(Ebb.ValueAndGrad<Net> a, Ebb.ValueAndGrad<Net> b) {
        assertThat(a.value().sameBits((Array) b.value())).isTrue();
        for (int l = 0; l < 2 * LAYERS; l++) {
            var mine = (Array) a.grad().weights().get(l);
            assertThat(mine.sameBits((Array) b.grad().weights().get(l))).isTrue();
        }
    }

    @Test
    void kept_by_name() {
        try (var all = compiled(new StoreAll(), true);
                var kept = compiled(new Keep(Policy.names("attn")), true)) {
            assertSame(all.apply(net()), kept.apply(net()));
            var plan = kept.plan(net());
            assertThat(computed(plan, n -> isNamed(n, "attn"))).isEqualTo(LAYERS);
            assertThat(computed(plan, n -> isNamed(n, "wide"))).isGreaterThan(LAYERS);
            assertThat(plan.explain()).contains("tanh \"attn\"");
        }
    }

    @Test
    void kept_by_kind() {
        try (var kept = compiled(new Keep(Policy.kind(Kernel.Contract.class)), true)) {
            var plan = kept.plan(net());
            assertThat(computed(plan, NamesTest::isProduct)).isEqualTo(2 * LAYERS);
            assertThat(computed(plan, n -> isNamed(n, "wide"))).isGreaterThan(LAYERS);
        }
    }

    @Test
    void kept_by_size() {
        long activation = 32L * WIDTH * 4;
        try (var large = compiled(new Keep(Policy.atLeast(activation)), true);
                var small = compiled(new Keep(Policy.atMost(activation - 1)), true)) {
            assertThat(large.plan(net()).schedule().footprint().recomputed()).isZero();
            assertThat(small.plan(net()).schedule().footprint().recomputed()).isPositive();
        }
    }

    @Test
    void kept_by_a_rule_of_ones_own() {
        Policy last = c -> c.node().region().toString().equals("block 3/wide");
        try (var kept = compiled(new Keep(last.or(Policy.names("attn"))), true)) {
            var plan = kept.plan(net());
            assertThat(computed(plan, n -> n.region().toString().equals("block 3/wide")))
                    .isEqualTo(2);
            assertThat(computed(plan, n -> n.region().toString().equals("block 0/wide")))
                    .isGreaterThan(2);
        }
    }

    /** The innermost region that has a rule decides; everything composes, with the same bits. */
    @Test
    void nested_regions_and_mixed_strategies_compose() {
        var mixed =
                PerRegion.of(new StoreAll())
                        .in("block 1", new RecomputeAll())
                        .in("wide", new Keep(Policy.names("wide")));
        try (var all = compiled(new StoreAll(), true);
                var some = compiled(mixed, true)) {
            assertSame(all.apply(net()), some.apply(net()));
            var plan = some.plan(net());
            // block 1 outside of "wide": nothing is kept, and both of its nodes come again
            assertThat(computed(plan, n -> n.region().toString().equals("block 1/attn")))
                    .isEqualTo(4);
            // "wide" inside of block 1 has a rule of its own: its activation stays
            assertThat(computed(plan, n -> isNamed(n, "wide"))).isEqualTo(LAYERS);
            // everywhere else all is kept
            assertThat(computed(plan, n -> n.region().toString().equals("block 2/attn")))
                    .isEqualTo(2);
            assertThat(some.report().measuredBytes()).isEqualTo(some.report().promisedBytes());
        }
    }

    @Test
    void a_name_must_say_something() {
        Fn<Tensor, Tensor> f = x -> Ebb.name(x, " ").sum();
        assertThatThrownBy(() -> Ebb.compile(f).apply(noise(1, 4))).hasMessageContaining("name");
        var x = noise(1, 4);
        assertThat(Ebb.name(x, "free")).isSameAs(x);
    }
}
