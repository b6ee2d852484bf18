package dev.ebb.reference;

import java.util.Arrays;
import java.util.BitSet;
import java.util.function.IntPredicate;

/**
 * The shortest way through a graph whose nodes are small whole numbers and whose edges are of
 * length zero or one: all nodes within a distance are visited before any that is further away.
 */
public final class ShortestWay {
    /** The edges that leave a node. */
    public interface Edges {
        void from(int node, Way to);
    }

    /** Told of each edge. */
    public interface Way {
        void to(int node, int length);
    }

    private final BitSet visited = new BitSet();
    private int[] near = new int[64];
    private int nearCount;
    private int[] far = new int[64];
    private int farCount;

    private ShortestWay() {}

    /** The length of the shortest way from {@code start} to a node at the {@code end}. */
    public static int length(int start, IntPredicate end, Edges edges) {
        var way = new ShortestWay();
        way.put(start, 0);
        for (int length = 0; way.nearCount > 0; length++) {
            while (way.nearCount > 0) {
                int node = way.near[--way.nearCount];
                if (way.visited.get(node)) continue;
                way.visited.set(node);
                if (end.test(node)) return length;
                edges.from(node, way::put);
            }
            way.goFurther();
        }
        throw new IllegalArgumentException("there is no way from " + start);
    }

    private void put(int node, int length) {
        if (visited.get(node)) return;
        if (length == 0) {
            if (nearCount == near.length) near = Arrays.copyOf(near, 2 * nearCount);
            near[nearCount++] = node;
        } else {
            if (farCount == far.length) far = Arrays.copyOf(far, 2 * farCount);
            far[farCount++] = node;
        }
    }

    private void goFurther() {
        int[] empty = near;
        near = far;
        nearCount = farCount;
        far = empty;
        farCount = 0;
    }
}
