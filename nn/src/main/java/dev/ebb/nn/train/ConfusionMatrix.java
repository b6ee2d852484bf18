package dev.ebb.nn.train;

import java.util.Arrays;

/** How often each class was taken for each: rows are targets, columns predictions. */
public final class ConfusionMatrix {
    private long[][] counts = new long[0][0];

    /** Nothing counted yet; the first predictions tell how many classes there are. */
    public ConfusionMatrix() {}

    public void add(Predictions some) {
        int classes = Math.max(2, some.width());
        if (counts.length == 0) counts = new long[classes][classes];
        if (counts.length != classes) {
            throw new IllegalArgumentException(
                    "a matrix of " + counts.length + " classes was given outputs of " + classes);
        }
        for (int i = 0; i < some.count(); i++) {
            int target = some.target(i);
            if (target < 0 || target >= classes) {
                throw new IllegalArgumentException(
                        "target " + target + " where there are " + classes + " classes, from 0 on");
            }
            counts[target][some.predicted(i)]++;
        }
    }

    public int classes() {
        return counts.length;
    }

    public long count(int target, int predicted) {
        return counts[target][predicted];
    }

    /** All targets that were counted. */
    public long all() {
        return Arrays.stream(counts).flatMapToLong(Arrays::stream).sum();
    }

    /** The share that was predicted right. */
    public double accuracy() {
        long right = 0;
        for (int c = 0; c < counts.length; c++) right += counts[c][c];
        return (double) right / all();
    }

    /** Of what was predicted as {@code c}, the share that is; 0 where nothing was. */
    public double precision(int c) {
        long predicted = Arrays.stream(counts).mapToLong(row -> row[c]).sum();
        return predicted == 0 ? 0 : (double) counts[c][c] / predicted;
    }

    /** Of what is {@code c}, the share that was predicted so; 0 where nothing is. */
    public double recall(int c) {
        long there = Arrays.stream(counts[c]).sum();
        return there == 0 ? 0 : (double) counts[c][c] / there;
    }

    /** The harmonic mean of precision and recall. */
    public double f1(int c) {
        double sum = precision(c) + recall(c);
        return sum == 0 ? 0 : 2 * precision(c) * recall(c) / sum;
    }

    /** A line for each target. */
    @Override
    public String toString() {
        var text = new StringBuilder();
        for (var row : counts) text.append(Arrays.toString(row)).append('\n');
        return text.toString();
    }
}
