package dev.ebb.nn.parallel;

import java.util.function.BinaryOperator;
import java.util.function.IntFunction;

/**
 * Sums in the order of a fixed binary tree over numbered leaves. The left subtree of a node has the
 * largest power of two of leaves that is less than the node's number of leaves. Floating-point
 * addition is not associative; adding the same leaves by this tree always gives the same bits,
 * wherever each subtree was added.
 */
public final class TreeSum {
    private TreeSum() {}

    /**
     * The sum of {@code count} leaves. Leaves are requested in order, each when it is needed, so at
     * most one sum per level of the tree is kept.
     */
    public static <T> T of(int count, IntFunction<T> leaf, BinaryOperator<T> add) {
        if (count < 1) throw new IllegalArgumentException("a sum of " + count + " leaves");
        return of(0, count, leaf, add);
    }

    private static <T> T of(int first, int count, IntFunction<T> leaf, BinaryOperator<T> add) {
        if (count == 1) return leaf.apply(first);
        int left = Integer.highestOneBit(count - 1);
        var low = of(first, left, leaf, add);
        return add.apply(low, of(first + left, count - left, leaf, add));
    }
}
