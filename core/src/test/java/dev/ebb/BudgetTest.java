package dev.ebb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.exec.Device;
import dev.ebb.exec.Queue;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Node;
import dev.ebb.ir.Shape;
import dev.ebb.plan.Binomial;
import dev.ebb.plan.Budget;
import dev.ebb.plan.Every;
import dev.ebb.plan.Fit;
import dev.ebb.plan.KeepExpensive;
import dev.ebb.plan.OverBudgetException;
import dev.ebb.plan.Planner;
import dev.ebb.plan.RecomputeAll;
import dev.ebb.plan.Segments;
import dev.ebb.plan.StoreAll;
import dev.ebb.plan.schedule.Step;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.IntToLongFunction;

class BudgetTest {
    record Net(List<Tensor> weights) {}

    private static Array noise(Random random, int rows, int columns) {
        var data = new double[rows * columns];
        for (int i = 0; i < data.length; i++) data[i] = random.nextGaussian() / Math.sqrt(columns);
        return Array.of(Shape.of(rows, columns), data);
    }

    /** A device that owns memory of its own outside the arena. */
    private record Owning(Device inner, long bytes) implements Device {
        @Override
        public String name() {
            return "owning";
        }

        @Override
        public IntToLongFunction ownBytes(List<Node> nodes) {
            return _ -> bytes;
        }

        @Override
        public long mostOwnBytes(int workers) {
            return bytes;
        }

        @Override
        public long workspaceBytes(Node node) {
            return inner.workspaceBytes(node);
        }

        @Override
        public Queue open() {
            return inner.open();
        }
    }

    private static final Fn<Tensor, Tensor> CHAIN =
            x -> {
                Tensor h = x;
                for (int i = 0; i < 6; i++) h = h.matmul(x).tanh();
                return h.sum();
            };

    @Test
    void whatADeviceOwnsCountsUnderEveryStrategy() {
        var device = new Owning(Devices.reference(), 10_000);
        var x = noise(new Random(1), 16, 16);
        for (Planner planner :
                List.<Planner>of(
                        new StoreAll(),
                        new RecomputeAll(),
                        new Binomial(2),
                        new Fit(Budget.share(1)))) {
            try (var compiled = Ebb.compile(Ebb.grad(CHAIN)).on(device).with(planner)) {
                compiled.apply(x);
                var plan = compiled.plan(x);
                assertThat(plan.peakBytes()).isEqualTo(plan.layout().arenaBytes() + 10_000);
                assertThat(compiled.report().promisedBytes()).isEqualTo(plan.peakBytes());
                assertThat(compiled.report().measuredBytes()).isEqualTo(plan.peakBytes());
            }
        }
        try (var all = Ebb.compile(Ebb.grad(CHAIN)).on(device)) {
            long least = all.plan(x).leastBytes();
            assertThatThrownBy(
                            () ->
                                    Ebb.compile(Ebb.grad(CHAIN))
                                            .on(device)
                                            .with(new Fit(Budget.bytes(least - 1)))
                                            .plan(x))
                    .isInstanceOf(OverBudgetException.class)
                    .hasMessageContaining("buffers of the device");
        }
    }

    @Test
    void aStrategyIsHeldToTheBudgetToo() {
        var x = noise(new Random(1), 16, 16);
        assertThatThrownBy(
                        () ->
                                Ebb.compile(Ebb.grad(CHAIN))
                                        .within(Budget.kibibytes(4))
                                        .with(new StoreAll())
                                        .apply(x))
                .isInstanceOf(OverBudgetException.class)
                .hasMessageContaining("StoreAll")
                .hasMessageContaining("4096 bytes");
    }

    @Test
    void whatTheMachineHasFree() throws IOException {
        long free = Budget.free().resolve(0);
        assertThat(free).isGreaterThan(1 << 20);
        var system = Path.of("/proc/meminfo");
        if (Files.isReadable(system)) {
            var total = Files.readAllLines(system).getFirst().replaceAll("[^0-9]", "");
            assertThat(free).isLessThan(Long.parseLong(total) * 1024);
        }
        try (var compiled = Ebb.compile(CHAIN).within(Budget.free())) {
            compiled.apply(noise(new Random(1), 16, 16));
            assertThat(compiled.report().promisedBytes()).isLessThan(free);
        }
    }

    private static Net squares(int n) {
        var random = new Random(3);
        var weights = new ArrayList<Tensor>();
        for (int i = 0; i < 6; i++) weights.add(noise(random, n, n));
        return new Net(weights);
    }

    /**
     * PyTorch's published case: five equal products, each followed by a cosine. Ten values are
     * saved: the first cosine, five products, and the four cosines that the next product reads. A
     * budget of k tenths of them keeps k products and computes the others again.
     */
    @Test
    void budgetOfSavedActivationsKeepsAsManyProducts() {
        Fn<Net, Tensor> f =
                net -> {
                    Tensor h = net.weights().getFirst().cos();
                    for (Tensor w : net.weights().subList(1, 6)) h = h.matmul(w).cos();
                    return h.sum();
                };
        var large = squares(512);
        var net = squares(16);
        var expected = Ebb.compile(Ebb.valueAndGrad(f)).apply(net).grad();
        for (int k = 0; k <= 10; k++) {
            try (var compiled = Ebb.compile(Ebb.valueAndGrad(f)).within(Budget.ofSaved(k / 10.0))) {
                long products =
                        compiled.plan(large).schedule().steps().stream()
                                .filter(
                                        s ->
                                                s instanceof Step.Compute(var node, _)
                                                        && !node.reverse()
                                                        && node.kernel() instanceof Kernel.Contract)
                                .count();
                assertThat(products).as("budget %s/10", k).isEqualTo(5 + Math.max(0, 5 - k));
                var found = compiled.apply(net).grad();
                for (int i = 0; i < 6; i++) {
                    var bits = (Array) expected.weights().get(i);
                    assertThat(found.weights().get(i).sameBits(bits)).isTrue();
                }
                var report = compiled.report();
                assertThat(report.measuredBytes()).isEqualTo(report.promisedBytes());
                if (k == 10) assertThat(report.recomputed()).isZero();
            }
        }
        assertThatThrownBy(() -> Budget.ofSaved(1.5)).hasMessageContaining("[0, 1]");
    }

    /**
     * The loss of a deep net and all its gradients have the same bits, whatever is computed again.
     */
    @Test
    void sameBitsUnderEveryStrategy() {
        var random = new Random(5);
        var x = noise(random, 64, 16);
        var weights = new ArrayList<Tensor>();
        for (int l = 0; l < 8; l++) weights.add(noise(random, 16, 16));
        Fn<Net, Tensor> loss =
                net -> {
                    Tensor h = x;
                    for (Tensor w : net.weights()) h = h.add(h.matmul(w).tanh());
                    return h.square().sum();
                };
        var net = new Net(weights);
        var all = Ebb.compile(Ebb.grad(loss)).with(new StoreAll());
        var expected = all.apply(net);
        long peak = all.plan(net).layout().arenaBytes();
        var planners =
                List.<Planner>of(
                        new RecomputeAll(),
                        new Every(2),
                        Segments.sqrt(),
                        new Binomial(2),
                        new KeepExpensive(),
                        new Fit(Budget.share(0.8)),
                        new Fit(Budget.share(0.6)),
                        new Fit(Budget.share(0.5)));
        for (Planner planner : planners) {
            var compiled = Ebb.compile(Ebb.grad(loss)).with(planner);
            var found = compiled.apply(net);
            for (int l = 0; l < 8; l++) {
                assertThat(found.weights().get(l).toDoubles())
                        .as("%s, layer %s", planner, l)
                        .isEqualTo(expected.weights().get(l).toDoubles());
            }
            if (planner instanceof Fit(Budget budget)) {
                assertThat(compiled.plan(net).layout().arenaBytes())
                        .isLessThanOrEqualTo(budget.resolve(peak));
            }
        }
    }
}
