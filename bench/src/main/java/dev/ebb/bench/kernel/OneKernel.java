package dev.ebb.bench.kernel;

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
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** An op that consists of a kernel, to time a device without planning and fusion. */
record OneKernel(Kernel kernel, List<Type> outputs) implements Op {
    @Override
    public String name() {
        return "kernel";
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
        throw new UnsupportedOperationException("a benchmark is not differentiated");
    }

    /** The kernel bound to these buffers; a kernel that needs workspace is refused. */
    static Runnable bind(Device device, Kernel kernel, List<Buffer> in, List<Buffer> out) {
        var inputs = values(in, 0);
        var outputs = values(out, in.size());
        var types = outputs.stream().map(Value::type).toList();
        var node = new Node(new OneKernel(kernel, types), inputs, outputs, Region.TOP, false);
        var queue = device.open();
        queue.reserve(List.of(node), device.threads().count());
        var workspace = new Buffer(DType.U8, 0, out.getFirst().segment().asSlice(0, 0));
        return queue.bind(node, in, out, workspace);
    }

    private static List<Value> values(List<Buffer> buffers, int first) {
        var values = new ArrayList<Value>();
        for (Buffer b : buffers) {
            values.add(
                    new Value(
                            first + values.size(), Type.of(b.dtype(), Math.toIntExact(b.size()))));
        }
        return values;
    }

    /** Random floats between -1 and 1. */
    static Buffer random(Arena arena, long size) {
        var segment = arena.allocate(4 * size, 64);
        var random = new SplittableRandom(size);
        for (long i = 0; i < size; i++) {
            segment.setAtIndex(ValueLayout.JAVA_FLOAT, i, (float) random.nextDouble(-1, 1));
        }
        return new Buffer(DType.F32, size, segment);
    }

    /**
     * The least seconds of each of {@code bodies}, run alternately, so that other load affects all
     * alike.
     */
    static double[] best(int rounds, Runnable... bodies) {
        var best = new double[bodies.length];
        for (int round = 0; round < 2 * rounds; round++) {
            for (int i = 0; i < bodies.length; i++) {
                long start = System.nanoTime();
                bodies[i].run();
                double seconds = (System.nanoTime() - start) / 1e9;
                // the first half warms up
                best[i] = round <= rounds ? seconds : Math.min(best[i], seconds);
            }
        }
        return best;
    }
}
