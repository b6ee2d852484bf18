package dev.ebb.cpu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.cpu.code.FusedLoops;
import dev.ebb.exec.Device;
import dev.ebb.exec.reference.Reference;
import dev.ebb.ir.Buffer;
import dev.ebb.ir.DType;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Scalar;
import dev.ebb.ir.Shape;
import dev.ebb.ir.Type;
import dev.ebb.ir.View;
import dev.ebb.reference.RandomUpdates;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/** Kernels with several outputs have the same bits wherever their outputs are stored. */
class UpdateBitsTest {
    private static final int PROGRAMS = 20;
    private static final int KERNELS = 60;

    /** The number of rows and columns: more than one grain of work, and odd. */
    private static final int SIDE = 131;

    @Test
    void random_steps_are_the_same_merged_and_in_place() {
        long merged = 0;
        try (var one = new Cpu(1);
                var three = new Cpu(3);
                var generated = new VectorCpu(2, FusedLoops.eager())) {
            for (long seed = 0; seed < PROGRAMS; seed++) {
                var updates = RandomUpdates.of(seed, SIDE);
                var plain = updates.plain(one);
                for (Device device : List.of(one, three, generated))
                    same(plain, updates.stepped(device), updates);
                merged += updates.merged(one);
            }
        }
        assertThat(merged).isGreaterThan(PROGRAMS / 5);
    }

    private static void same(List<Tensor> expected, List<Tensor> actual, RandomUpdates updates) {
        for (int i = 0; i < expected.size(); i++) {
            assertThat(expected.get(i).sameBits((Array) actual.get(i)))
                    .as("value %d of %s", i, updates)
                    .isTrue();
        }
    }

    @Test
    void every_output_may_lie_over_any_operand() {
        try (var one = new Cpu(1);
                var three = new Cpu(3);
                var generated = new VectorCpu(1, FusedLoops.eager())) {
            for (int seed = 0; seed < KERNELS; seed++) {
                var random = new Random(seed);
                int n = 1 + random.nextInt(seed % 2 == 0 ? 50_000 : 2_000);
                var type = random.nextInt(4) == 0 ? DType.BF16 : DType.F32;
                var kernel = kernel(random, n);
                var apart = run(one, kernel, type, seed, false);
                for (Device device : List.of(one, three, generated)) {
                    sameBits(apart, run(device, kernel, type, seed, false), kernel);
                    sameBits(apart, run(device, kernel, type, seed, true), kernel);
                }
                // the Reference has no parts, so it needs no more elements
                if (n > 2_000) continue;
                var slow = run(new Reference(), kernel, type, seed, false);
                sameBits(slow, run(new Reference(), kernel, type, seed, true), kernel);
            }
        }
    }

    private static Kernel.Map kernel(Random random, int n) {
        int operands = 2 + random.nextInt(3);
        var known = new ArrayList<Scalar>();
        for (int i = 0; i < operands; i++) known.add(Scalar.arg(i));
        for (int i = 0; i < 10; i++) {
            var x = known.get(random.nextInt(known.size()));
            var y = known.get(random.nextInt(known.size()));
            known.add(
                    switch (random.nextInt(7)) {
                        case 0 -> x.add(y);
                        case 1 -> x.sub(y);
                        case 2 -> x.mul(y);
                        case 3 -> x.max(y);
                        case 4 -> x.tanh();
                        case 5 -> x.abs().sqrt();
                        case 6 -> x.gt(y).select(y, x);
                        default -> throw new IllegalStateException("seven functions");
                    });
        }
        var bodies = new ArrayList<Scalar>();
        for (int j = 0; j < operands; j++) bodies.add(known.get(random.nextInt(known.size())));
        var shape = Shape.of(n);
        return new Kernel.Map(shape, Collections.nCopies(operands, View.contiguous(shape)), bodies);
    }

    /**
     * Runs {@code kernel} with separate outputs, or with each output over an operand other than its
     * own.
     */
    private static List<Buffer> run(
            Device device, Kernel.Map kernel, DType type, int seed, boolean over) {
        long n = kernel.shape().size();
        var in = new ArrayList<Buffer>();
        for (int i = 0; i < kernel.operands().size(); i++)
            in.add(Direct.calm(type, n, 10 * seed + i));
        var out = new ArrayList<Buffer>();
        for (int j = 0; j < in.size(); j++)
            out.add(over ? in.get((j + seed) % in.size()) : Direct.buffer(type, n));
        var types = Collections.nCopies(in.size(), new Type(type, kernel.shape()));
        Direct.run(device, kernel, in, out, types);
        return out;
    }

    private static void sameBits(List<Buffer> expected, List<Buffer> actual, Kernel kernel) {
        for (int i = 0; i < expected.size(); i++) {
            assertThat(actual.get(i).segment().mismatch(expected.get(i).segment()))
                    .as("output %d of %s", i, kernel)
                    .isEqualTo(-1);
        }
    }
}
