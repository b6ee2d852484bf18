package dev.ebb.nn.train;

import dev.ebb.tensor.Tensor;

import java.util.Arrays;

/**
 * A model's outputs for a validation batch, row by row.
 *
 * @param outputs in row-major order
 * @param width the number of outputs per target: the classes, or 1
 * @param targets in row-major order; classes as integers
 * @param losses one per row
 */
public record Predictions(float[] outputs, int width, double[] targets, float[] losses) {
    public Predictions {
        outputs = outputs.clone();
        targets = targets.clone();
        losses = losses.clone();
        if (outputs.length != (long) targets.length * width) {
            throw new IllegalArgumentException(
                    "%s outputs for %s targets; each target needs %s"
                            .formatted(outputs.length, targets.length, width));
        }
    }

    /** The first {@code rows} rows of a batch. */
    static Predictions of(Tensor outputs, Tensor targets, Tensor losses, int rows) {
        int batch = targets.dim(0);
        int each = (int) (targets.shape().size() / batch);
        int outs = (int) (outputs.shape().size() / batch);
        if (outs % each != 0) {
            throw new IllegalArgumentException(
                    "outputs of " + outputs.type() + " do not belong to targets " + targets.type());
        }
        return new Predictions(
                Arrays.copyOf(outputs.toFloats(), rows * outs),
                outs / each,
                Arrays.copyOf(targets.toDoubles(), rows * each),
                Arrays.copyOf(losses.toFloats(), rows));
    }

    /** The number of targets: that of rows or, for text, of tokens. */
    public int count() {
        return targets.length;
    }

    /** Output {@code j} of target {@code i}. */
    public float output(int i, int j) {
        return outputs[i * width + j];
    }

    /** The class of target {@code i}. */
    public int target(int i) {
        return (int) targets[i];
    }

    /**
     * The class with the largest output, the first of equal ones. For a single output: 1 if it is
     * above zero.
     */
    public int predicted(int i) {
        if (width == 1) return output(i, 0) > 0 ? 1 : 0;
        int best = 0;
        for (int j = 1; j < width; j++) if (output(i, j) > output(i, best)) best = j;
        return best;
    }
}
