package dev.ebb.exec.tape;

import dev.ebb.ir.Value;

import java.util.Arrays;

/**
 * Evicted values in connected groups, with the cost of computing each group again: a union-find
 * forest. When a value is restored, its own cost is subtracted, but its group is not split, so a
 * group's cost is an estimate; rebuilding the groups makes it exact (Kirisame et al., "Dynamic
 * tensor rematerialization", ICLR 2021, section 4.1).
 */
final class EvictedGroups {
    private int[] parent = new int[16];
    private double[] cost = new double[16];
    private int[] element = new int[16];
    private int elements = 1;

    /** Removes all groups. */
    void clear() {
        Arrays.fill(element, 0);
        elements = 1;
    }

    boolean has(Value v) {
        return v.id() < element.length && element[v.id()] > 0;
    }

    void add(Value v, double ownCost) {
        if (v.id() >= element.length) {
            element = Arrays.copyOf(element, Math.max(v.id() + 1, 2 * element.length));
        }
        if (elements == parent.length) {
            parent = Arrays.copyOf(parent, 2 * elements);
            cost = Arrays.copyOf(cost, 2 * elements);
        }
        parent[elements] = elements;
        cost[elements] = ownCost;
        element[v.id()] = elements++;
    }

    void leave(Value v, double ownCost) {
        cost[group(v)] -= ownCost;
        element[v.id()] = 0;
    }

    /** The group of {@code v}, by number. */
    int group(Value v) {
        int i = element[v.id()];
        while (parent[i] != i) {
            parent[i] = parent[parent[i]];
            i = parent[i];
        }
        return i;
    }

    double cost(int group) {
        return Math.max(0, cost[group]);
    }

    void join(Value a, Value b) {
        int x = group(a);
        int y = group(b);
        if (x == y) return;
        parent[x] = y;
        cost[y] += cost[x];
    }
}
