package dev.ebb;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.exec.Category;
import dev.ebb.exec.Report;
import dev.ebb.exec.program.MemoryProfile;
import dev.ebb.ir.Shape;
import dev.ebb.plan.Budget;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

/** What a run tells of itself: memory by what it is for, time by kernel, how much was repeated. */
class ReportTest {
    private static final int WIDTH = 32;
    private static final long WEIGHTS = 6L * WIDTH * WIDTH * 4;

    /** A device that repeats a run as a whole knows the times of single kernels in verify alone. */
    private static final boolean TIMES_KERNELS = Devices.best().isHost();

    record State(List<Tensor> weights, List<Tensor> moments) {}

    private static Array noise(int seed, int... dims) {
        var shape = Shape.of(dims);
        var data = new float[(int) shape.size()];
        for (int i = 0; i < data.length; i++) data[i] = (float) Math.sin(seed + 0.37 * i) / 4;
        return Array.of(shape, data);
    }

    private static List<Tensor> squares(double scale) {
        var all = new ArrayList<Tensor>();
        for (int l = 0; l < 6; l++) {
            all.add(noise(l, WIDTH, WIDTH).mul(scale));
        }
        return all;
    }

    private static Tensor loss(List<Tensor> weights, Tensor x) {
        Tensor h = x;
        for (Tensor w : weights) h = h.matmul(w).tanh();
        return h.square().sum();
    }

    /** Descent with momentum: weights are parameters, moments the optimizer's. */
    private static Next<State, Tensor> step(State s, Tensor x) {
        var seen = Ebb.valueAndGrad((List<Tensor> w) -> loss(w, x)).apply(s.weights());
        var weights = new ArrayList<Tensor>();
        var moments = new ArrayList<Tensor>();
        for (int l = 0; l < s.weights().size(); l++) {
            var m = s.moments().get(l).mul(0.9).add(seen.grad().get(l));
            moments.add(m);
            weights.add(s.weights().get(l).sub(m.mul(0.01)));
        }
        return new Next<>(new State(weights, moments), seen.value());
    }

    private static void holds(Report report) {
        assertThat(report.measuredBytes()).isEqualTo(report.promisedBytes());
        long sum = 0;
        for (var p : report.categories()) {
            assertThat(p.measuredBytes()).as("%s", p.category()).isEqualTo(p.promisedBytes());
            sum += p.measuredBytes();
        }
        assertThat(sum).isGreaterThanOrEqualTo(report.measuredBytes() * 98 / 100);
    }

    @Test
    void memory_by_category_is_measured_as_promised() {
        Tensor x = noise(9, 64, WIDTH);
        var start = new State(squares(1), squares(0));
        try (var all = Ebb.stepper(ReportTest::step).start(start, x)) {
            all.step(x);
            var report = all.report();
            holds(report);
            assertThat(report.peak(Category.PARAMETERS).measuredBytes()).isEqualTo(WEIGHTS);
            assertThat(report.peak(Category.OPTIMIZER).measuredBytes()).isEqualTo(WEIGHTS);
            assertThat(report.peak(Category.INPUTS).measuredBytes()).isEqualTo(64L * WIDTH * 4);
            assertThat(report.peak(Category.ACTIVATIONS).measuredBytes()).isPositive();
            assertThat(report.peak(Category.GRADIENTS).measuredBytes()).isPositive();
            assertThat(report.recomputationShare()).isZero();
            var tide = MemoryProfile.of(all.plan().layout());
            assertThat(tide.peak(Category.ACTIVATIONS))
                    .isEqualTo(report.peak(Category.ACTIVATIONS).promisedBytes());
            long least = all.plan().leastBytes();
            try (var few =
                    Ebb.stepper(ReportTest::step).within(Budget.bytes(least)).start(start, x)) {
                few.step(x);
                var tight = few.report();
                holds(tight);
                assertThat(tight.recomputed()).isPositive();
                if (TIMES_KERNELS) assertThat(tight.recomputationShare()).isBetween(1e-9, 1.0);
                assertThat(tight.peak(Category.ACTIVATIONS).measuredBytes())
                        .isLessThan(report.peak(Category.ACTIVATIONS).measuredBytes());
                assertThat(tight.peak(Category.PARAMETERS).measuredBytes()).isEqualTo(WEIGHTS);
            }
        }
    }

    @Test
    void time_by_kernel_adds_up() {
        Tensor x = noise(9, 64, WIDTH);
        Fn<List<Tensor>, List<Tensor>> gradient = Ebb.grad(w -> loss(w, x));
        try (var compiled = Ebb.compile(gradient)) {
            compiled.apply(squares(1));
            if (!TIMES_KERNELS) compiled.verify(squares(1));
            var report = compiled.report();
            double sum = report.kernels().stream().mapToDouble(Report.KernelTime::seconds).sum();
            assertThat(sum).isPositive().isLessThanOrEqualTo(report.seconds() * (1 + 1e-9));
            int calls = report.kernels().stream().mapToInt(Report.KernelTime::calls).sum();
            assertThat(calls).isEqualTo(report.computed() + report.recomputed());
            assertThat(report.kernels())
                    .isSortedAccordingTo((a, b) -> Double.compare(b.seconds(), a.seconds()));
            assertThat(report.text()).contains("parameters", "activations", "mat_mul", "measured");
            holds(report);
        }
    }

    @Test
    void a_tape_counts_too() {
        try (var tape = new Tape(Budget.kibibytes(128))) {
            var w = tape.watch(noise(1, WIDTH, WIDTH));
            Tensor h = w;
            for (int i = 0; i < 60; i++) h = h.matmul(w).tanh();
            tape.gradient(h.sum(), w);
            var report = tape.report();
            assertThat(report.peak(Category.PARAMETERS).measuredBytes()).isEqualTo(4096);
            assertThat(report.peak(Category.ACTIVATIONS).measuredBytes())
                    .isBetween(4096L, report.promisedBytes());
            assertThat(report.peak(Category.GRADIENTS).measuredBytes()).isPositive();
            assertThat(report.recomputed()).isPositive();
            assertThat(report.recomputationShare()).isBetween(1e-9, 1.0);
            assertThat(report.kernels()).isNotEmpty();
        }
    }
}
