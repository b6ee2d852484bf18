package dev.ebb.tensor.network;

import dev.ebb.ir.ShapeException;
import dev.ebb.tensor.Tensor;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Windows that move over the spatial axes. Every list has one number an axis, or a single number
 * for all of them.
 */
public record Pool(List<Integer> kernel, List<Integer> stride, List<Integer> padding) {

    public Pool {
        kernel = List.copyOf(kernel);
        stride = List.copyOf(stride);
        padding = List.copyOf(padding);
        if (kernel.isEmpty() || kernel.stream().anyMatch(k -> k < 1)) {
            throw new ShapeException("a pooling window of " + kernel);
        }
        if (stride.isEmpty() || stride.stream().anyMatch(s -> s < 1)) {
            throw new ShapeException("a pooling stride of " + stride);
        }
        if (padding.isEmpty() || padding.stream().anyMatch(p -> p < 0)) {
            throw new ShapeException("a pooling padding of " + padding);
        }
    }

    /** Windows of this size, side by side. */
    public static Pool of(int... kernel) {
        var size = Arrays.stream(kernel).boxed().toList();
        return new Pool(size, size, List.of(0));
    }

    public Pool stride(int... steps) {
        return new Pool(kernel, Arrays.stream(steps).boxed().toList(), padding);
    }

    /** Elements put before and after each axis; at most half a window. */
    public Pool padding(int... both) {
        return new Pool(kernel, stride, Arrays.stream(both).boxed().toList());
    }

    /** Every list with one number for each of {@code rank} axes. */
    Pool over(int rank) {
        var p =
                new Pool(
                        Conv.each("window", kernel, rank),
                        Conv.each("stride", stride, rank),
                        Conv.each("padding", padding, rank));
        for (int d = 0; d < rank; d++) {
            if (2 * p.padding.get(d) > p.kernel.get(d)) {
                throw new ShapeException(
                        ("pooling: a padding of %s is more than half the window %s, so some windows"
                                        + " would hold nothing")
                                .formatted(p.padding, p.kernel));
            }
        }
        return p;
    }

    /** The number of windows along each spatial axis. */
    List<Integer> out(Tensor x) {
        var out = new ArrayList<Integer>();
        for (int d = 0; d < kernel.size(); d++) {
            int padded = x.dim(2 + d) + 2 * padding.get(d);
            if (padded < kernel.get(d)) {
                throw new ShapeException(
                        ("pooling: spatial axis %s of %s has %s elements with its padding, the"
                                        + " window %s; pad more or use a smaller window")
                                .formatted(d, x.type(), padded, kernel.get(d)));
            }
            out.add((padded - kernel.get(d)) / stride.get(d) + 1);
        }
        return out;
    }
}
