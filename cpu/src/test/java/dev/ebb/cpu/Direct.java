package dev.ebb.cpu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.exec.Device;
import dev.ebb.ir.Adjoints;
import dev.ebb.ir.Buffer;
import dev.ebb.ir.DType;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Node;
import dev.ebb.ir.Op;
import dev.ebb.ir.Region;
import dev.ebb.ir.Type;
import dev.ebb.ir.Value;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Binds a kernel to buffers of the test, so that the test can choose their elements and addresses.
 */
final class Direct {
    private static final double[] NOTABLE = {
        0.0,
        -0.0,
        1,
        -1,
        0.5,
        -0.5,
        2,
        -3,
        88.8,
        -104,
        1e-40,
        -1e-45,
        3.5,
        -2.5,
        127,
        255,
        256,
        1e10,
        -1e30,
        Double.NaN,
        Double.POSITIVE_INFINITY,
        Double.NEGATIVE_INFINITY
    };

    private Direct() {}

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

    static Buffer buffer(DType type, long size) {
        return new Buffer(type, size, Arena.ofAuto().allocate(Math.max(1, type.bytes(size)), 64));
    }

    /**
     * Numbers of all kinds: special values at the start of every twenty, the others between -4 and
     * 4.
     */
    static Buffer mixed(DType type, long size, int seed) {
        var buffer = buffer(type, size);
        var random = new SplittableRandom(seed);
        for (long i = 0; i < size; i++) {
            double x =
                    i % 3 == 1 ? NOTABLE[random.nextInt(NOTABLE.length)] : random.nextDouble(-4, 4);
            if (type.isFloat()) buffer.set(i, x);
            else if (type.isTruth()) buffer.setLong(i, random.nextInt(2));
            else buffer.setLong(i, i % 3 == 1 ? (long) x : random.nextInt(-9, 9));
        }
        return buffer;
    }

    static Buffer calm(DType type, long size, int seed) {
        var buffer = buffer(type, size);
        var random = new SplittableRandom(seed);
        for (long i = 0; i < size; i++) {
            if (type.isFloat()) buffer.set(i, random.nextDouble(-1, 1));
            else buffer.setLong(i, random.nextInt(2));
        }
        return buffer;
    }

    static Buffer copy(Buffer buffer) {
        var copy = buffer(buffer.dtype(), buffer.size());
        copy.segment().copyFrom(buffer.segment());
        return copy;
    }

    /** Runs {@code kernel} once and returns its output. */
    static Buffer run(Device device, Kernel kernel, List<Buffer> in, Type out) {
        var made = buffer(out.dtype(), out.size());
        run(device, kernel, in, List.of(made), List.of(out));
        return made;
    }

    static void run(
            Device device, Kernel kernel, List<Buffer> in, List<Buffer> out, List<Type> types) {
        var inputs = new ArrayList<Value>();
        for (Buffer b : in) {
            inputs.add(new Value(inputs.size(), Type.of(b.dtype(), Math.toIntExact(b.size()))));
        }
        var outputs = new ArrayList<Value>();
        for (Type t : types) outputs.add(new Value(inputs.size() + outputs.size(), t));
        var node = new Node(new Bare(kernel, types), inputs, outputs, Region.TOP, false);
        var workspace = buffer(DType.U8, device.workspaceBytes(node));
        try (var queue = device.open()) {
            queue.reserve(List.of(node), device.threads().count());
            queue.bind(node, in, out, workspace).run();
        }
    }

    /** Asserts equal bits, where all NaN count as equal and two f32 may differ by {@code ulps}. */
    static void same(Buffer actual, Buffer expected, double ulps, String what) {
        assertThat(actual.size()).isEqualTo(expected.size());
        for (long i = 0; i < expected.size(); i++) {
            if (!expected.dtype().isFloat()) {
                if (actual.getLong(i) != expected.getLong(i)) {
                    assertThat(actual.getLong(i))
                            .as("%s [%d]", what, i)
                            .isEqualTo(expected.getLong(i));
                }
                continue;
            }
            double x = actual.get(i);
            double y = expected.get(i);
            if (Double.compare(x, y) == 0) continue;
            double unit = expected.dtype() == DType.F64 ? Math.ulp(y) : Math.ulp((float) y);
            assertThat(ulps > 0 && Math.abs(x - y) <= ulps * unit)
                    .as("%s [%d]: %s, not %s", what, i, x, y)
                    .isTrue();
        }
    }
}
