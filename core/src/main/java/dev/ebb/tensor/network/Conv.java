package dev.ebb.tensor.network;

import dev.ebb.ir.ShapeException;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/**
 * How a convolution steps and pads. Every list has one number a spatial axis, or a single number
 * for all of them.
 *
 * @param low zeros put before each axis
 * @param high zeros put after each axis
 * @param extra elements added at the far end of a transposed convolution's result, where several
 *     sizes lead to the same input
 */
public record Conv(
        List<Integer> stride,
        List<Integer> low,
        List<Integer> high,
        List<Integer> dilation,
        int groups,
        List<Integer> extra) {

    public Conv {
        stride = atLeast("stride", 1, stride);
        low = atLeast("padding", 0, low);
        high = atLeast("padding", 0, high);
        dilation = atLeast("dilation", 1, dilation);
        extra = atLeast("output padding", 0, extra);
        if (groups < 1) throw new ShapeException("a convolution of " + groups + " groups");
    }

    private static List<Integer> atLeast(String name, int least, List<Integer> given) {
        if (given.isEmpty() || given.stream().anyMatch(n -> n < least)) {
            throw new ShapeException(
                    "a " + name + " of " + given + ": it takes numbers from " + least + " on");
        }
        return List.copyOf(given);
    }

    /** Step by step, without padding. */
    public static Conv plain() {
        var one = List.of(1);
        var zero = List.of(0);
        return new Conv(one, zero, zero, one, 1, zero);
    }

    public Conv stride(int... steps) {
        return new Conv(list(steps), low, high, dilation, groups, extra);
    }

    /** The same padding before and after each axis. */
    public Conv padding(int... both) {
        return new Conv(stride, list(both), list(both), dilation, groups, extra);
    }

    public Conv padding(List<Integer> before, List<Integer> after) {
        return new Conv(stride, before, after, dilation, groups, extra);
    }

    public Conv dilation(int... steps) {
        return new Conv(stride, low, high, list(steps), groups, extra);
    }

    /** Channels in groups that do not see each other. */
    public Conv groups(int count) {
        return new Conv(stride, low, high, dilation, count, extra);
    }

    public Conv outputPadding(int... elements) {
        return new Conv(stride, low, high, dilation, groups, list(elements));
    }

    private static List<Integer> list(int... numbers) {
        return Arrays.stream(numbers).boxed().toList();
    }

    /** {@code numbers} for each of {@code rank} axes. */
    static List<Integer> each(String name, List<Integer> numbers, int rank) {
        if (numbers.size() == rank) return numbers;
        if (numbers.size() == 1) return Collections.nCopies(rank, numbers.getFirst());
        throw new ShapeException(
                "a %s of %s for %s spatial axes: give one number for all, or one for each"
                        .formatted(name, numbers, rank));
    }

    /** Every list with one number for each of {@code rank} axes. */
    Conv over(int rank) {
        return new Conv(
                each("stride", stride, rank),
                each("padding", low, rank),
                each("padding", high, rank),
                each("dilation", dilation, rank),
                groups,
                each("output padding", extra, rank));
    }
}
