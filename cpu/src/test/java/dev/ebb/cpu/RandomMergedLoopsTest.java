package dev.ebb.cpu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.Ebb;
import dev.ebb.Fn;
import dev.ebb.Loop;
import dev.ebb.Next;
import dev.ebb.Tensorwise;
import dev.ebb.ir.DType;
import dev.ebb.ir.Shape;
import dev.ebb.ir.Type;
import dev.ebb.reference.RandomProgram;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * Random programs mapped over examples, whose operands are gathered by an index or are the same for
 * all, and random programs as bodies of loops: generated loops on three threads give the bits of
 * the kernels on one.
 */
final class RandomMergedLoopsTest {
    private static final int LENGTH = 5;
    private static final VectorCpu KERNELS = SequenceDevices.cpu(1, Integer.MAX_VALUE);
    private static final VectorCpu LOOPS = SequenceDevices.cpu(3, 0);

    @AfterAll
    static void close() {
        KERNELS.close();
        LOOPS.close();
    }

    /**
     * The results of {@code f} in its second run, after generated loops have replaced the kernels.
     */
    private static <P, R> List<Tensor> run(Fn<P, R> f, P x, VectorCpu cpu, List<Boolean> merged) {
        try (var run = Ebb.compile(f).on(cpu)) {
            run.apply(x);
            var arrays = Tensorwise.list(run.apply(x));
            merged.add(run.report().kernels().isEmpty());
            return arrays;
        }
    }

    private static <P, R> boolean same(Fn<P, R> f, P x, RandomProgram program) {
        var merged = new ArrayList<Boolean>();
        var expected = run(f, x, KERNELS, merged);
        var found = run(f, x, LOOPS, merged);
        for (int i = 0; i < expected.size(); i++)
            assertThat(found.get(i).sameBits(expected.get(i)))
                    .as("result %d of%n%s", i, program)
                    .isTrue();
        assertThat(merged.getFirst()).isFalse();
        return merged.getLast();
    }

    private static Tensor random(DType dtype, Array like, int count, Random random) {
        var dims = new ArrayList<>(List.of(count));
        dims.addAll(like.type().shape().dims());
        var type = new Type(dtype, new Shape(dims));
        return Array.of(type, random.doubles(type.size(), -1.5, 1.5).toArray());
    }

    /**
     * Every example gathers its first operand from a table; the other operands are the same for
     * all.
     */
    private static Fn<List<Tensor>, Tensor> picking(RandomProgram program) {
        return in -> {
            var picked = in.getFirst().indexSelect(0, in.get(1));
            var rest = in.subList(2, in.size());
            return Ebb.<Tensor, Tensor>vmap(
                            x -> {
                                var all = new ArrayList<>(List.of(x));
                                all.addAll(rest);
                                return program.apply(all);
                            })
                    .apply(picked)
                    .sum();
        };
    }

    /** A loop that applies the program to a state of a few examples in every iteration. */
    private static Fn<List<Tensor>, Tensor> rounds(RandomProgram program) {
        return in -> {
            var rest = in.subList(1, in.size());
            return Loop.scan(
                            in.getFirst(),
                            in.get(1).unsqueeze(0).add(in.get(1).unsqueeze(1)),
                            (Tensor state, Tensor x) -> {
                                var all = new ArrayList<>(List.of(state.mul(x)));
                                all.addAll(rest);
                                var y = program.apply(all);
                                return new Next<>(state.mul(0.9).add(y.tanh()), y);
                            })
                    .stacked()
                    .sum();
        };
    }

    private static List<Tensor> inputs(RandomProgram program, DType dtype) {
        return new ArrayList<>(
                program.inputs().stream()
                        .<Tensor>map(a -> Array.of(a.type().with(dtype), a.toDoubles()))
                        .toList());
    }

    @ParameterizedTest
    @EnumSource(names = {"F32", "F64", "BF16"})
    void examples_picks_and_rounds(DType dtype) {
        long seed = 100L * dtype.ordinal();
        var random = new Random(seed);
        var program = RandomProgram.of(seed, LENGTH);
        // more than a share of iterations, and not a multiple of any block of them
        int count = dtype == DType.F64 ? 4500 : 1030;
        var many = program.inputs().stream().map(a -> random(dtype, a, count, random)).toList();
        boolean mapped = same(Ebb.<List<Tensor>, Tensor>vmap(program), many, program);
        var few = inputs(program, dtype);
        few.set(0, random(dtype, program.inputs().getFirst(), 9, random));
        few.add(1, Array.of(IntStream.range(0, count).map(_ -> random.nextInt(9)).toArray()));
        boolean picked = same(gradient(picking(program)), few, program);
        same(Ebb.valueAndGrad(rounds(program)), inputs(program, dtype), program);
        // there are no registers of sixteen bits
        assertThat(List.of(mapped, picked)).containsOnly(dtype != DType.BF16);
    }

    /**
     * The gradient with respect to the table: the gradients of examples are added to the rows that
     * they gathered.
     */
    private static Fn<List<Tensor>, Tensor> gradient(Fn<List<Tensor>, Tensor> f) {
        return in ->
                Ebb.grad(
                                (Tensor table) -> {
                                    var all = new ArrayList<>(in);
                                    all.set(0, table);
                                    return f.apply(all);
                                })
                        .apply(in.getFirst());
    }
}
