package dev.ebb.nn.tokens;

import java.util.Arrays;

/** A growing list of token numbers. */
final class TokenIds {
    private int[] ids = new int[16];
    private int size;

    void add(int id) {
        if (size == ids.length) ids = Arrays.copyOf(ids, 2 * size);
        ids[size++] = id;
    }

    int size() {
        return size;
    }

    void cutTo(int length) {
        size = length;
    }

    int[] toArray() {
        return Arrays.copyOf(ids, size);
    }
}
