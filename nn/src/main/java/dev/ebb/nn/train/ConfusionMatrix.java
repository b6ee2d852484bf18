package dev.ebb.nn.train;

import java.util.Arrays;

/**
 * How often each class was predicted for each target class: rows are targets, columns predictions.
 */
public final class ConfusionMatrix {
    private long[][] counts = new long[0][0];

    /** An empty matrix; the first predictions determine the number of classes. */
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

    /** The number of all targets. */
    public long all() {
        return Arrays.stream(counts).flatMapToLong(Arrays::stream).sum();
    }

    /** The share of correct predictions. */
    public double accuracy() {
        long right = 0;
        for (int c = 0; c < counts.length; c++) right += counts[c][c];
        return (double) right / all();
    }

    /** The share of correct ones among predictions of {@code c}; 0 if there are none. */
    public double precision(int c) {
        long predicted = Arrays.stream(counts).mapToLong(row -> row[c]).sum();
        return predicted == 0 ? 0 : (double) counts[c][c] / predicted;
    }

    /** The share of correct predictions among targets {@code c}; 0 if there are none. */
    public double recall(int c) {
        long there = Arrays.stream(counts[c]).sum();
        return there == 0 ? 0 : (double) counts[c][c] / there;
    }

    /** The harmonic mean of precision and recall. */
    public double f1(int c) {
        double sum = precision(c) + recall(c);
        return sum == 0 ? 0 : 2 * precision(c) * recall(c) / sum;
    }

    /** One line per target class. */
    @Override
    public String toString() {
        var text = new StringBuilder();
        for (var row : counts) text.append(Arrays.toString(row)).append('\n');
        return text.toString();
    }
}
