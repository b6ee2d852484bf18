package dev.ebb.tensor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.ebb.Ebb;
import dev.ebb.Fn;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Node;
import dev.ebb.ir.Shape;
import dev.ebb.ir.Type;
import dev.ebb.ir.Value;
import dev.ebb.ir.View;
import dev.ebb.trace.Trace;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Random;
import java.util.TreeSet;

/** Gradients of many slices of one tensor: put together once where they do not overlap. */
class SliceGradientTest {
    private static final int N = 24;

    private static Array numbers() {
        var x = new double[N];
        for (int i = 0; i < N; i++) x[i] = Math.sin(i) + 2;
        return Array.of(x);
    }

    /** The sum of squares of slices, each weighed: the gradient is known element by element. */
    private static void check(int[][] slices) {
        Fn<Tensor, Tensor> f =
                x -> {
                    Tensor sum = x.literal(0);
                    for (int k = 0; k < slices.length; k++) {
                        var s = slices[k];
                        sum = sum.add(x.slice(0, s[0], s[1], s[2]).square().sum().mul(k + 1));
                    }
                    return sum;
                };
        var x = numbers();
        var expected = new double[N];
        for (int k = 0; k < slices.length; k++) {
            var s = slices[k];
            for (int i = s[0]; i < s[1]; i += s[2]) expected[i] += 2 * (k + 1) * x.toDoubles()[i];
        }
        var found = ((Array) Ebb.grad(f).apply(x)).toDoubles();
        for (int i = 0; i < N; i++) assertThat(found[i]).isCloseTo(expected[i], within(1e-12));
        var hvp = ((Array) Ebb.hvp(f).apply(x, x)).toDoubles();
        for (int i = 0; i < N; i++) assertThat(hvp[i]).isCloseTo(expected[i], within(1e-12));
    }

    @Test
    void disjoint_overlapping_and_strided_slices() {
        check(new int[][] {{0, 8, 1}, {8, 16, 1}, {16, 24, 1}});
        check(new int[][] {{2, 5, 1}, {9, 12, 1}});
        check(new int[][] {{0, 8, 1}, {4, 12, 1}, {8, 16, 1}, {0, 24, 1}});
        check(new int[][] {{0, 24, 3}, {1, 24, 3}, {2, 24, 3}});
        check(new int[][] {{0, 24, 3}, {1, 24, 2}, {3, 24, 4}, {1, 24, 4}});
    }

    /** Whether parts overlap is never denied wrongly. */
    @Test
    void parts_that_share_a_place_overlap() {
        var random = new Random(3);
        int apart = 0;
        for (int trial = 0; trial < 20_000; trial++) {
            var a = part(random);
            var b = part(random);
            var shared = new TreeSet<>(places(a));
            shared.retainAll(places(b));
            if (!a.overlaps(b)) apart++;
            if (!shared.isEmpty()) assertThat(a.overlaps(b)).as("%s and %s", a, b).isTrue();
        }
        assertThat(apart).isGreaterThan(1000);
    }

    private static View.Part part(Random random) {
        int size = 1 + random.nextInt(4);
        int step = random.nextInt(2) == 0 ? 1 + random.nextInt(3) : -1 - random.nextInt(3);
        int start = random.nextInt(12) + (step < 0 ? 9 : 0);
        return new View.Part(Shape.of(size), List.of(start), List.of(step));
    }

    private static TreeSet<Integer> places(View.Part part) {
        var places = new TreeSet<Integer>();
        for (int i = 0; i < part.shape().dim(0); i++)
            places.add(part.start().getFirst() + i * part.step().getFirst());
        return places;
    }

    private static List<Type> types(Node node) {
        return node.inputs().stream().map(Value::type).toList();
    }

    /** As many kernels as slices, and one that puts them together, not a sum for each. */
    @Test
    void disjoint_slices_are_put_together_by_one_kernel() {
        for (int n : new int[] {4, 12}) {
            int width = N / n;
            Fn<Tensor, Tensor> f =
                    x -> {
                        Tensor sum = x.literal(0);
                        for (int k = 0; k < n; k++)
                            sum = sum.add(x.slice(0, k * width, (k + 1) * width).exp().sum());
                        return sum;
                    };
            var type = numbers().type();
            var graph =
                    Trace.of(in -> List.of(Ebb.grad(f).apply(in.getFirst())), List.of(type))
                            .graph();
            var kernels = graph.nodes().stream().map(v -> v.op().kernel(types(v))).toList();
            assertThat(kernels.stream().filter(Kernel.Assemble.class::isInstance)).hasSize(1);
            assertThat(graph.nodes().stream().filter(v -> v.op().name().equals("accumulate")))
                    .isEmpty();
        }
    }
}
