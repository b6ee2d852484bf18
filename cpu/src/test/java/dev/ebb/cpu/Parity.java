package dev.ebb.cpu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.exec.Device;
import dev.ebb.exec.loop.Scratch;
import dev.ebb.exec.program.Program;
import dev.ebb.exec.reference.Reference;
import dev.ebb.ir.Adjoints;
import dev.ebb.ir.Buffer;
import dev.ebb.ir.Graph;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Node;
import dev.ebb.ir.Op;
import dev.ebb.ir.Region;
import dev.ebb.ir.Type;
import dev.ebb.ir.Value;
import dev.ebb.plan.StoreAll;
import dev.ebb.plan.schedule.Layout;
import dev.ebb.plan.schedule.Problem;
import dev.ebb.plan.schedule.Schedule;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/**
 * One kernel run on two devices with the same random numbers. The reference says what it means; the
 * CPU must agree within a tolerance relative to the largest magnitude, and with itself to the bit
 * for every number of threads.
 *
 * @param kernel what to run
 * @param inputs types of its inputs, in the kernel's order
 * @param outputs types of its outputs
 * @param whole integers are drawn from zero up to this, exclusive
 */
record Parity(Kernel kernel, List<Type> inputs, List<Type> outputs, int whole) {

    Parity(Kernel kernel, List<Type> inputs, List<Type> outputs) {
        this(kernel, inputs, outputs, 5);
    }

    private static final Reference REFERENCE = new Reference();

    /**
     * Devices with one to three threads; loops generated for one kernel are shared by kernels of
     * the same form.
     */
    private static final List<Cpu> CPUS = List.of(new Cpu(1), new Cpu(2), new Cpu(3));

    private record Bare(Kernel kernel, List<Type> outputs) implements Op {
        @Override
        public String name() {
            return "bare";
        }

        @Override
        public List<Type> infer(List<Type> inputs) {
            return outputs;
        }

        @Override
        public Kernel kernel(List<Type> inputs) {
            return kernel;
        }

        @Override
        public void pullback(Node node, Adjoints adjoints) {
            throw new UnsupportedOperationException();
        }
    }

    /** The outputs on {@code device}, element by element, as doubles. */
    List<double[]> run(Device device) {
        var params = new ArrayList<Value>();
        for (Type type : inputs) params.add(new Value(params.size(), type));
        var results = new ArrayList<Value>();
        for (Type type : outputs) results.add(new Value(params.size() + results.size(), type));
        var node = new Node(new Bare(kernel, outputs), params, results, Region.TOP, false);
        var graph = Scratch.add(new Graph(params, List.of(node), results), device);
        try (var program = new Program(Layout.of(schedule(graph)), device)) {
            var random = new SplittableRandom(7);
            for (int i = 0; i < inputs.size(); i++) fill(program.param(i), random);
            program.run();
            var values = new ArrayList<double[]>();
            for (int i = 0; i < outputs.size(); i++) values.add(values(program.result(i)));
            return values;
        }
    }

    private static Schedule schedule(Graph graph) {
        return new StoreAll().plan(Problem.of(graph), _ -> 1);
    }

    private void fill(Buffer buffer, SplittableRandom random) {
        for (long i = 0; i < buffer.size(); i++) {
            if (buffer.dtype().isFloat()) buffer.set(i, random.nextDouble(-1, 1));
            else
                buffer.setLong(
                        i, buffer.dtype().isTruth() ? random.nextInt(2) : random.nextInt(whole));
        }
    }

    private static double[] values(Buffer buffer) {
        var values = new double[Math.toIntExact(buffer.size())];
        for (int i = 0; i < values.length; i++) values[i] = buffer.get(i);
        return values;
    }

    /** The CPU, with one to three threads, computes what the reference does. */
    void agrees(double tolerance) {
        var expected = run(REFERENCE);
        var first = run(CPUS.getFirst());
        for (int i = 0; i < first.size(); i++) near(first.get(i), expected.get(i), tolerance, i);
        for (int threads = 2; threads <= CPUS.size(); threads++) {
            var actual = run(CPUS.get(threads - 1));
            for (int i = 0; i < actual.size(); i++) {
                assertThat(Arrays.equals(actual.get(i), first.get(i)))
                        .as("output %d of %s on %d threads is as on one", i, kernel, threads)
                        .isTrue();
            }
        }
    }

    private void near(double[] actual, double[] expected, double tolerance, int output) {
        double largest = 1e-30;
        for (double x : expected) if (Double.isFinite(x)) largest = Math.max(largest, Math.abs(x));
        for (int i = 0; i < expected.length; i++) {
            if (Double.compare(actual[i], expected[i]) == 0) continue;
            double apart = Math.abs(actual[i] - expected[i]) / largest;
            // an assertion for every element would take longer than the kernels
            if (apart <= tolerance) continue;
            assertThat(apart)
                    .as(
                            "element %d of output %d of %s: %s, not %s",
                            i, output, kernel, actual[i], expected[i])
                    .isLessThanOrEqualTo(tolerance);
        }
    }
}
