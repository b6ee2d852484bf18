package dev.ebb.nn.onnx;

import java.util.Arrays;

/** Numbers, as many as come. */
final class Longs {
    private long[] all = new long[8];
    private int size;

    void add(long one) {
        if (size == all.length) all = Arrays.copyOf(all, 2 * size);
        all[size++] = one;
    }

    int size() {
        return size;
    }

    long get(int i) {
        return all[i];
    }

    long[] toArray() {
        return Arrays.copyOf(all, size);
    }
}
