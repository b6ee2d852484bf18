package dev.ebb.nn.onnx;

import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.network.Pool;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * The windows of a convolution or pool; each list has one number per spatial axis.
 *
 * @param low elements of padding before each axis
 * @param high elements of padding after each axis
 * @param counts the number of windows
 */
record Windows(
        List<Integer> kernel,
        List<Integer> strides,
        List<Integer> dilations,
        List<Integer> low,
        List<Integer> high,
        List<Integer> counts) {

    static Windows of(OnnxNode node, Tensor x, List<Integer> kernel) {
        int axes = x.rank() - 2;
        if (kernel.size() != axes) throw node.refused("windows of " + kernel + " over " + x.type());
        var strides = list(node, "strides", axes, 1);
        var dilations = list(node, "dilations", axes, 1);
        var pads = list(node, "pads", 2 * axes, 0);
        requireAtLeast(node, "windows", kernel, 1);
        requireAtLeast(node, "strides", strides, 1);
        requireAtLeast(node, "dilations", dilations, 1);
        requireAtLeast(node, "pads", pads, 0);
        var auto = node.text("auto_pad", "NOTSET");
        var low = new ArrayList<Integer>();
        var high = new ArrayList<Integer>();
        var counts = new ArrayList<Integer>();
        for (int i = 0; i < axes; i++) {
            int size = x.dim(2 + i);
            int stride = strides.get(i);
            int reach = reach(kernel.get(i), dilations.get(i));
            switch (auto) {
                case "NOTSET" -> {
                    low.add(pads.get(i));
                    high.add(pads.get(axes + i));
                }
                case "VALID" -> {
                    low.add(0);
                    high.add(0);
                }
                case "SAME_UPPER", "SAME_LOWER" -> {
                    int wanted = Math.ceilDiv(size, stride);
                    long end = (wanted - 1L) * stride + reach;
                    int total = Math.toIntExact(Math.max(0, end - size));
                    int more = Math.ceilDiv(total, 2);
                    low.add(auto.equals("SAME_UPPER") ? total - more : more);
                    high.add(auto.equals("SAME_UPPER") ? more : total - more);
                }
                default -> throw node.refused("auto_pad " + auto);
            }
            int padded = Math.addExact(Math.addExact(size, low.get(i)), high.get(i));
            counts.add(count(node, padded, reach, stride));
        }
        return new Windows(kernel, strides, dilations, low, high, counts);
    }

    /** The elements of its axis that a window spans. */
    private static int reach(int kernel, int dilation) {
        return Math.addExact(Math.multiplyExact(kernel - 1, dilation), 1);
    }

    static void requireAtLeast(OnnxNode node, String name, List<Integer> all, int least) {
        if (all.stream().anyMatch(n -> n < least))
            throw node.refused(name + " of " + all + "; each is " + least + " at least");
    }

    /** With ceil_mode a last window may extend beyond the end if it starts before it. */
    private static int count(OnnxNode node, int padded, int reach, int stride) {
        if (padded < reach)
            throw node.refused("a window that reaches over " + reach + " of " + padded);
        int count = (padded - reach) / stride + 1;
        boolean more = node.flag("ceil_mode", false) && (padded - reach) % stride != 0;
        return more && (long) count * stride < padded ? count + 1 : count;
    }

    static List<Integer> list(OnnxNode node, String key, int count, int otherwise) {
        var list = node.list(key);
        if (list.isEmpty()) return Collections.nCopies(count, otherwise);
        if (list.size() != count)
            throw node.refused(key + " of " + list + ", and " + count + " are needed");
        return list;
    }

    /** Elements after the declared padding that the last window of an axis covers. */
    int beyond(int size, int i) {
        long end = (counts.get(i) - 1L) * strides.get(i) + reach(kernel.get(i), dilations.get(i));
        return Math.toIntExact(Math.max(0, end - size - low.get(i) - high.get(i)));
    }

    /** The number of elements of a window. */
    int places() {
        return kernel.stream().reduce(1, Math::multiplyExact);
    }

    /** The element at index {@code i}, in row-major order, of each window of {@code padded}. */
    Tensor place(Tensor padded, int i) {
        var elements = padded;
        int rest = i;
        for (int d = kernel.size() - 1; d >= 0; d--) {
            int start = rest % kernel.get(d) * dilations.get(d);
            rest /= kernel.get(d);
            int span = (counts.get(d) - 1) * strides.get(d) + 1;
            elements = elements.slice(2 + d, start, start + span, strides.get(d));
        }
        return elements;
    }

    /** Whether {@link #pool} with the same padding at both ends is equivalent. */
    boolean isPlain(Tensor x) {
        for (int i = 0; i < kernel.size(); i++) {
            boolean even = low.get(i).equals(high.get(i)) && low.get(i) <= kernel.get(i) / 2;
            if (!even || dilations.get(i) != 1 || beyond(x.dim(2 + i), i) > 0) return false;
        }
        return true;
    }

    boolean isPadded() {
        return low.stream().anyMatch(n -> n > 0) || high.stream().anyMatch(n -> n > 0);
    }

    /** These windows, without padding. */
    Pool pool() {
        return Pool.of(ints(kernel)).stride(ints(strides));
    }

    static int[] ints(List<Integer> numbers) {
        return numbers.stream().mapToInt(Integer::intValue).toArray();
    }

    /**
     * {@code x} with its padding, filled with {@code padding}, and with the elements after it that
     * the last windows cover, filled with {@code beyond}.
     */
    Tensor padded(Tensor x, double padding, double beyond) {
        var before = new ArrayList<>(List.of(0, 0));
        var after = new ArrayList<>(List.of(0, 0));
        var further = new ArrayList<>(List.of(0, 0));
        before.addAll(low);
        after.addAll(high);
        for (int i = 0; i < kernel.size(); i++) further.add(beyond(x.dim(2 + i), i));
        var nothing = Collections.nCopies(x.rank(), 0);
        return x.pad(before, after, padding).pad(nothing, further, beyond);
    }
}
