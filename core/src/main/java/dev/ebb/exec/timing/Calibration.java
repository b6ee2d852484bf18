package dev.ebb.exec.timing;

import dev.ebb.exec.Device;
import dev.ebb.ir.Adjoints;
import dev.ebb.ir.DType;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Node;
import dev.ebb.ir.Op;
import dev.ebb.ir.Region;
import dev.ebb.ir.Scalar;
import dev.ebb.ir.Shape;
import dev.ebb.ir.Type;
import dev.ebb.ir.Value;
import dev.ebb.ir.View;
import dev.ebb.plan.cost.Roofline;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.function.IntFunction;
import java.util.function.IntToDoubleFunction;

/**
 * Measures the four numbers of a {@link Roofline} on this machine, by four kernels of which each is
 * bounded by one of the numbers. Measured numbers differ from run to run; a plan that must be the
 * same in every run should be made with fixed numbers.
 */
public final class Calibration {
    /** The sizes to try; the last one at which a run is still short is used. */
    private static final int[] SIDES = {64, 128, 256, 512};

    private static final int[] LARGE = {1 << 14, 1 << 18, 1 << 22};
    private static final int[] MIDDLE = {1 << 14, 1 << 18};
    private static final int SMALL = 16;
    private static final double ENOUGH = 4e-3;

    private Calibration() {}

    /** The roofline of {@code device} on this machine, as it is now. Takes a few seconds. */
    public static Roofline roofline(Device device) {
        return roofline(new KernelTimer(device));
    }

    static Roofline roofline(KernelTimer timer) {
        double start = positive(timer.seconds(map(SMALL, 1, Scalar.arg(0))).orElseThrow());
        var sum = Scalar.arg(0).add(Scalar.arg(1));
        var maths = Scalar.arg(0).tanh().tanh().tanh().tanh();
        return new Roofline(
                rate(timer, start, SIDES, Calibration::product, n -> 2.0 * n * n * n),
                rate(timer, start, MIDDLE, n -> map(n, 1, maths), n -> n * (1.0 + maths.cost())),
                rate(timer, start, LARGE, n -> map(n, 2, sum), n -> 3.0 * 4 * n),
                start);
    }

    /** Units of work per second, at the largest size whose run is short enough. */
    private static double rate(
            KernelTimer timer,
            double start,
            int[] sizes,
            IntFunction<Node> node,
            IntToDoubleFunction work) {
        double rate = 0;
        for (int n : sizes) {
            double seconds = timer.seconds(node.apply(n)).orElseThrow();
            rate = work.applyAsDouble(n) / positive(seconds - start);
            if (seconds > ENOUGH) break;
        }
        return rate;
    }

    private static double positive(double seconds) {
        return Math.max(seconds, 1e-9);
    }

    private static Node map(int size, int operands, Scalar body) {
        var shape = Shape.of(size);
        var views = Collections.nCopies(operands, View.contiguous(shape));
        return node(Kernel.Map.of(shape, views, body), operands, shape);
    }

    private static Node product(int side) {
        var shape = Shape.of(side, side);
        var view = View.contiguous(shape);
        var kernel =
                new Kernel.Contract(
                        Shape.of(), side, side, side, view, view, List.of(), Scalar.arg(0));
        return node(kernel, 2, shape);
    }

    private static Node node(Kernel kernel, int operands, Shape shape) {
        var type = new Type(DType.F32, shape);
        var inputs = new ArrayList<Value>();
        for (int i = 0; i < operands; i++) inputs.add(new Value(i, type));
        return new Node(
                new Probe(kernel, type),
                inputs,
                List.of(new Value(operands, type)),
                Region.TOP,
                false);
    }

    /** An op that is nothing but a kernel. */
    private record Probe(Kernel kernel, Type type) implements Op {
        @Override
        public String name() {
            return "probe";
        }

        @Override
        public List<Type> infer(List<Type> inputs) {
            return List.of(type);
        }

        @Override
        public Kernel kernel(List<Type> inputs) {
            return kernel;
        }

        @Override
        public void pullback(Node node, Adjoints adjoints) {
            throw new IllegalStateException("a probe has no derivative");
        }
    }

    /**
     * Everything besides the kernels that times depend on: processor, cores, Java, device and Ebb
     * itself.
     */
    public static String machine(Device device) {
        return processor()
                + ", "
                + Runtime.getRuntime().availableProcessors()
                + " cores, Java "
                + Runtime.version()
                + ", "
                + device.signature()
                + ", Ebb "
                + version();
    }

    private static String version() {
        var module = Optional.ofNullable(Calibration.class.getModule().getDescriptor());
        return module.flatMap(m -> m.rawVersion())
                .or(
                        () ->
                                Optional.ofNullable(
                                        Calibration.class.getPackage().getImplementationVersion()))
                .orElse("unreleased");
    }

    private static String processor() {
        var system = Path.of("/proc/cpuinfo");
        try {
            if (Files.isReadable(system)) {
                for (String line : Files.readAllLines(system)) {
                    if (line.startsWith("model name")) return line.replaceFirst(".*?: *", "");
                }
            }
        } catch (IOException e) {
            return "unknown processor";
        }
        return "unknown processor";
    }
}
