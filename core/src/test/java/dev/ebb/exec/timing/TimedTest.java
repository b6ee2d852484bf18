package dev.ebb.exec.timing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.Devices;
import dev.ebb.Ebb;
import dev.ebb.Fn;
import dev.ebb.exec.Device;
import dev.ebb.ir.Buffer;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Node;
import dev.ebb.ir.Shape;
import dev.ebb.ir.Type;
import dev.ebb.plan.cost.Prices;
import dev.ebb.plan.cost.Roofline;
import dev.ebb.plan.schedule.Cost;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Differentiable;
import dev.ebb.tensor.Rule;
import dev.ebb.tensor.Tensor;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.DoubleSupplier;

/** Times of kernels: measured once, kept in a file that is not believed blindly. */
class TimedTest {
    @TempDir Path folder;

    private static final Device DEVICE = Devices.reference();
    private static final KernelTimer HASTY = new KernelTimer(DEVICE, 2_000_000);
    private static final Fn<Tensor, Tensor> LOSS =
            x -> x.matmul(x).tanh().matmul(x).tanh().square().sum();

    private static Timed timed(Optional<Path> file) {
        return new Timed(DEVICE, file, HASTY);
    }

    private static Tensor x() {
        return Array.of(Shape.of(8, 8), new float[64]);
    }

    private static String steps(Cost cost) {
        try (var compiled = Ebb.compile(Ebb.grad(LOSS)).on(DEVICE).costing(cost)) {
            return compiled.plan(x()).schedule().steps().toString();
        }
    }

    private static double cost(Cost cost) {
        try (var compiled = Ebb.compile(Ebb.grad(LOSS)).on(DEVICE).costing(cost)) {
            return compiled.plan(x()).cost();
        }
    }

    @Test
    void each_kernel_is_timed_once_for_all_processes() throws IOException {
        var file = folder.resolve("deep/prices");
        var first = timed(Optional.of(file));
        double cost = cost(first);
        int timed = first.timings();
        assertThat(timed).isPositive();
        assertThat(cost(first)).isEqualTo(cost);
        assertThat(first.timings()).as("a second plan times nothing").isEqualTo(timed);
        var second = timed(Optional.of(file));
        assertThat(cost(second)).isEqualTo(cost);
        assertThat(second.timings()).as("another process times nothing").isZero();
        assertThat(steps(second)).isEqualTo(steps(first));
        assertThat(folder.resolve("deep")).isDirectoryContaining(p -> p.equals(file));
        try (var left = Files.list(folder.resolve("deep"))) {
            assertThat(left).as("nothing half written").hasSize(1);
        }
    }

    @Test
    void prices_travel_and_give_the_same_plan() throws IOException {
        var timed = timed(Optional.empty());
        double cost = cost(timed);
        var file = folder.resolve("prices");
        timed.prices().save(file);
        var prices = Prices.load(file);
        assertThat(prices.machine()).isEqualTo(timed.prices().machine()).contains("reference");
        assertThat(prices.seconds()).isEqualTo(timed.prices().seconds()).isNotEmpty();
        assertThat(prices.otherwise()).isEqualTo(timed.prices().otherwise());
        assertThat(cost(prices)).isEqualTo(cost);
        assertThat(steps(prices)).isEqualTo(steps(timed));
        prices.save(folder.resolve("again"));
        assertThat(folder.resolve("again")).hasSameTextualContentAs(file);
    }

    @Test
    void a_damaged_file_is_not_believed_and_written_anew() throws IOException {
        var file = folder.resolve("prices");
        cost(timed(Optional.of(file)));
        var text = Files.readString(file);
        int digit = text.indexOf('.', text.indexOf('\n', 60)) + 1;
        var flipped = text.charAt(digit) == '7' ? "8" : "7";
        for (String damage :
                List.of(
                        text.substring(0, text.length() / 2),
                        "",
                        "not prices\n\n\n\n",
                        text.substring(0, digit) + flipped + text.substring(digit + 1))) {
            Files.writeString(file, damage);
            assertThatThrownBy(() -> Prices.load(file)).isInstanceOf(IOException.class);
        }
        var timed = timed(Optional.of(file));
        cost(timed);
        assertThat(timed.timings()).isPositive();
        assertThat(Prices.load(file).seconds()).isEqualTo(timed.prices().seconds());
        Files.write(file, new byte[] {(byte) 0xff, (byte) 0xfe, 0, 1});
        assertThatThrownBy(() -> Prices.load(file)).hasMessageContaining("not text");
    }

    @Test
    void times_of_another_machine_are_not_believed() throws IOException {
        var file = folder.resolve("prices");
        var foreign =
                new Prices("another machine", Map.of("0".repeat(32), 1.0), Roofline.typical());
        foreign.save(file);
        var timed = timed(Optional.of(file));
        cost(timed);
        assertThat(timed.timings()).isPositive();
        assertThat(timed.prices().otherwise()).isNotEqualTo(Roofline.typical());
        assertThat(Prices.load(file).machine()).isEqualTo(Calibration.machine(DEVICE));
        assertThat(Prices.load(file).seconds()).doesNotContainKey("0".repeat(32));
        assertThat(Calibration.machine(DEVICE))
                .contains("cores", "Java " + Runtime.version(), DEVICE.signature(), "Ebb");
    }

    /** An op around something that another process would not know again. */
    private record Outside(DoubleSupplier source) implements Differentiable {
        @Override
        public List<Type> infer(List<Type> in) {
            return in;
        }

        @Override
        public Kernel kernel(List<Type> in) {
            return new Writing(source);
        }

        @Override
        public void vjp(Rule rule) {
            rule.add(0, rule.dout(0));
        }

        private record Writing(DoubleSupplier source) implements Kernel.Library {
            @Override
            public long workspaceBytes() {
                return 0;
            }

            @Override
            public void run(List<Buffer> in, List<Buffer> out, Buffer workspace) {
                out.getFirst().set(0, source.getAsDouble());
            }
        }
    }

    @Test
    void what_means_nothing_elsewhere_is_not_kept() {
        var file = folder.resolve("prices");
        var timed = timed(Optional.of(file));
        Fn<Tensor, Tensor> f = t -> t.apply(new Outside(() -> 1)).square();
        try (var compiled = Ebb.compile(f).on(DEVICE).costing(timed)) {
            compiled.plan(x());
        }
        assertThat(timed.timings()).isEqualTo(2);
        assertThat(timed.prices().seconds()).hasSize(1);
    }

    @Test
    void this_machines_roofline() {
        var roofline = Calibration.roofline(HASTY);
        for (double rate : List.of(roofline.products(), roofline.simple(), roofline.bytes()))
            assertThat(rate).isBetween(1e5, 1e15);
        assertThat(roofline.start()).isBetween(1e-9, 1e-1);
    }

    @Test
    void the_default_is_fixed() {
        try (var compiled = Ebb.compile(Ebb.grad(LOSS)).on(DEVICE)) {
            var plan = compiled.plan(x());
            Node node = plan.schedule().problem().graph().nodes().getFirst();
            assertThat(plan.curve().cost()).isEqualTo(Roofline.typical());
            assertThat(plan.curve().cost().of(node)).isEqualTo(Roofline.typical().of(node));
        }
    }
}
