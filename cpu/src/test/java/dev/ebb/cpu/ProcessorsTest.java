package dev.ebb.cpu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.Ebb;
import dev.ebb.Fn;
import dev.ebb.Loop;
import dev.ebb.ir.DType;
import dev.ebb.ir.Type;
import dev.ebb.plan.Budget;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Key;
import dev.ebb.tensor.Tensor;

import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Plans and bits are the same for any number of processors, each simulated in a separate process.
 */
class ProcessorsTest {

    /** The child processes, whose output must be equal. */
    public static final class Child {
        private Child() {}

        private static final Fn<Tensor, Tensor> THREE = x -> x.square().sum();

        private static final Fn<Tensor, Tensor> DEEP =
                w -> {
                    Tensor h = w;
                    for (int i = 0; i < 3; i++) {
                        var x = w.mul(0.1 * i);
                        h = h.matmul(x).tanh().add(x.softmax(1)).mul(h);
                    }
                    return h.mean();
                };

        private static final Fn<Tensor, Tensor> LOOP =
                x -> Loop.repeat(20, x, c -> c.matmul(x).tanh().mul(0.5)).sum();

        private static final Cpu CPU = new Cpu();

        public static void main(String[] args) {
            System.out.println("processors " + Runtime.getRuntime().availableProcessors());
            show("three", THREE, Array.of(1.0, 2.0, 3.0));
            for (var type : List.of(DType.F32, DType.F64))
                show("deep " + type, DEEP, (Array) Key.of(1).normal(Type.of(type, 96, 96)));
            show("loop", LOOP, (Array) Key.of(2).normal(Type.of(DType.F32, 64, 64)));
            CPU.close();
        }

        private static void show(String name, Fn<Tensor, Tensor> f, Array x) {
            long least;
            long all;
            // all budgets share one search: each number of processors needs a separate process
            var any = Ebb.compile(Ebb.grad(f)).on(CPU);
            try (var grad = any) {
                least = grad.plan(x).curve().leastBytes();
                all = grad.plan(x).storeAllBytes();
            }
            System.out.println(name + " least " + least + " all " + all);
            var budgets = new ArrayList<>(List.of(Budget.unlimited(), Budget.bytes(least)));
            budgets.add(Budget.bytes(least + (all - least) / 2));
            for (var budget : budgets) {
                try (var grad = any.within(budget)) {
                    var gradient = (Array) grad.apply(x);
                    var report = grad.report();
                    boolean kept =
                            report.measuredBytes() == report.promisedBytes()
                                    && report.promisedBytes() <= budget.resolve(0);
                    System.out.println(
                            name
                                    + " in "
                                    + budget
                                    + ": schedule "
                                    + grad.plan(x).schedule().steps().toString().hashCode()
                                    + ", gradient "
                                    + Arrays.hashCode(gradient.toDoubles())
                                    + ", kept "
                                    + kept);
                }
            }
        }
    }

    @Test
    void changeNothing() throws Exception {
        var children = new ArrayList<Process>();
        for (int processors : new int[] {1, 2, 16, 64}) children.add(start(processors));
        var said = new ArrayList<List<String>>();
        for (var child : children) {
            var text = new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(child.waitFor()).as(text).isZero();
            assertThat(text).contains("processors ").doesNotContain("kept false");
            said.add(
                    text.lines().filter(l -> l.contains(" in ") || l.contains(" least ")).toList());
        }
        assertThat(said.getFirst()).anyMatch(l -> l.startsWith("loop in"));
        for (var lines : said) assertThat(lines).isEqualTo(said.getFirst());
    }

    private static Process start(int processors) throws Exception {
        return new ChildJvm("-XX:ActiveProcessorCount=" + processors, "-XX:TieredStopAtLevel=1")
                .running(Child.class)
                .redirectErrorStream(true)
                .start();
    }

    @Test
    void aGradientOfThreeNumbersTakesLittle() {
        try (var cpu = new Cpu(64);
                var grad = Ebb.compile(Ebb.grad(Child.THREE)).on(cpu)) {
            var plan = grad.plan(Array.of(1.0, 2.0, 3.0));
            assertThat(plan.leastBytes()).isLessThan(8 << 10);
            assertThat(plan.peakBytes()).isLessThan(8 << 10);
        }
    }
}
