package dev.ebb.pass;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.ir.Shape;
import dev.ebb.ir.View;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

class ViewsTest {

    private static List<Long> offsets(Shape shape, View view) {
        var all = new ArrayList<Long>();
        long[] index = new long[shape.rank()];
        for (long i = 0; i < shape.size(); i++) {
            long rest = i;
            for (int d = shape.rank() - 1; d >= 0; d--) {
                index[d] = rest % shape.dim(d);
                rest /= shape.dim(d);
            }
            long at = view.offset();
            for (int d = 0; d < index.length; d++) at += index[d] * view.stride(d);
            all.add(at);
        }
        return all;
    }

    /**
     * Where a composed view exists it reads the same elements as the two views after one another.
     */
    @Test
    void composedViewsReadTheSameElements() {
        var random = new Random(7);
        int composed = 0;
        for (int trial = 0; trial < 5000; trial++) {
            var between =
                    Shape.of(1 + random.nextInt(3), 1 + random.nextInt(4), 1 + random.nextInt(3));
            var inner = randomView(random, between, 200);
            var outerShape = Shape.of(1 + random.nextInt(3), 1 + random.nextInt(4));
            var outer = randomView(random, outerShape, between.size());
            var buffer = offsets(between, inner);
            var reads = offsets(outerShape, outer);
            if (reads.stream().anyMatch(r -> r < 0 || r >= buffer.size())) continue;
            var view = Views.compose(outerShape, outer, between, inner);
            if (view.isEmpty()) continue;
            composed++;
            var expected = reads.stream().map(r -> buffer.get(r.intValue())).toList();
            assertThat(offsets(outerShape, view.get())).isEqualTo(expected);
        }
        assertThat(composed).isGreaterThan(500);
    }

    private static View randomView(Random random, Shape shape, long within) {
        var strides = new ArrayList<Long>();
        for (int d = 0; d < shape.rank(); d++) strides.add((long) random.nextInt(7) - 2);
        return new View(random.nextInt((int) within), strides);
    }

    @Test
    void transposesAndSlicesCompose() {
        var between = Shape.of(4, 3);
        var transposed = new View(0, List.of(1L, 4L));
        var sliced = new View(3, List.of(3L, 1L));
        assertThat(Views.compose(Shape.of(2, 3), sliced, between, transposed))
                .contains(new View(1, List.of(1L, 4L)));
    }

    @Test
    void anAxisThatRunsOverTwoIsRefused() {
        var transposed = new View(0, List.of(1L, 4L));
        assertThat(
                        Views.compose(
                                Shape.of(12),
                                View.contiguous(Shape.of(12)),
                                Shape.of(4, 3),
                                transposed))
                .isEmpty();
    }
}
