package dev.ebb.exec.tape;

import dev.ebb.ir.Value;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The values of each kind in the order in which they were last used, the least recently used first.
 * Values of one kind have the same size and cost the same to compute. So the bound on the benefit
 * of evicting a value decreases along the list, and the search for the best value ends early.
 */
final class LeastRecent {
    private static final int NONE = -1;

    private final List<Value> values = new ArrayList<>();
    private int[] kinds = new int[16];
    private int[] before = new int[16];
    private int[] after = new int[16];
    private int[] first = new int[16];
    private int[] last = new int[16];
    private int count;

    LeastRecent() {
        Arrays.fill(kinds, NONE);
        Arrays.fill(first, NONE);
        Arrays.fill(last, NONE);
    }

    /** Kinds have numbers below this one. */
    int kinds() {
        return count;
    }

    /** Marks {@code v}, of kind {@code kind}, as the most recently used value. */
    void touch(Value v, int kind) {
        grow(v.id(), kind);
        int id = v.id();
        if (kinds[id] == kind && last[kind] == id) return;
        remove(v);
        while (values.size() <= id) values.add(v);
        values.set(id, v);
        kinds[id] = kind;
        before[id] = last[kind];
        after[id] = NONE;
        if (last[kind] == NONE) first[kind] = id;
        else after[last[kind]] = id;
        last[kind] = id;
    }

    private void grow(int id, int kind) {
        if (id >= kinds.length) {
            int old = kinds.length;
            int size = Math.max(id + 1, 2 * old);
            kinds = Arrays.copyOf(kinds, size);
            Arrays.fill(kinds, old, size, NONE);
            before = Arrays.copyOf(before, size);
            after = Arrays.copyOf(after, size);
        }
        if (kind >= first.length) {
            int old = first.length;
            int size = Math.max(kind + 1, 2 * old);
            first = Arrays.copyOf(first, size);
            last = Arrays.copyOf(last, size);
            Arrays.fill(first, old, size, NONE);
            Arrays.fill(last, old, size, NONE);
        }
        count = Math.max(count, kind + 1);
    }

    void remove(Value v) {
        int id = v.id();
        if (id >= kinds.length || kinds[id] == NONE) return;
        int kind = kinds[id];
        if (before[id] == NONE) first[kind] = after[id];
        else after[before[id]] = after[id];
        if (after[id] == NONE) last[kind] = before[id];
        else before[after[id]] = before[id];
        kinds[id] = NONE;
    }

    /** The number of the first value of a kind; negative if there is none. */
    int first(int kind) {
        return first[kind];
    }

    /** The number of the value after the one of number {@code id}; negative if it is the last. */
    int after(int id) {
        return after[id];
    }

    Value value(int id) {
        return values.get(id);
    }
}
