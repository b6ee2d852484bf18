package dev.ebb.tensor.network;

import dev.ebb.ir.ShapeException;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;

import java.util.List;
import java.util.OptionalLong;

/**
 * How a classification loss is taken.
 *
 * @param ignored a target whose rows count for nothing
 * @param smoothing the share of the target's probability that is spread over all classes
 */
public record CrossEntropy(Reduction reduction, OptionalLong ignored, double smoothing) {

    public CrossEntropy {
        if (!(smoothing >= 0 && smoothing <= 1)) {
            throw new ShapeException(
                    "cross_entropy: a smoothing of " + smoothing + " is not between 0 and 1");
        }
    }

    /** The mean over all rows. */
    public static CrossEntropy mean() {
        return new CrossEntropy(Reduction.MEAN, OptionalLong.empty(), 0);
    }

    public CrossEntropy reduction(Reduction other) {
        return new CrossEntropy(other, ignored, smoothing);
    }

    /**
     * Rows whose target is {@code target} are ignored: they count neither in the sum nor in the
     * mean.
     */
    public CrossEntropy ignoring(long target) {
        return new CrossEntropy(reduction, OptionalLong.of(target), smoothing);
    }

    public CrossEntropy smoothing(double share) {
        return new CrossEntropy(reduction, ignored, share);
    }

    Tensor of(Tensor logits, Tensor targets) {
        if (logits.rank() == 0) {
            throw new ShapeException("cross_entropy: " + logits.type() + " has no axis of classes");
        }
        if (!targets.dtype().isInteger()) {
            throw new ShapeException(
                    "cross_entropy: targets must be integers, not "
                            + targets.type()
                            + "; cast them, for example to i32");
        }
        var wide = logits.cast(Moments.wide(logits));
        return losses(wide, targets).cast(logits.dtype());
    }

    private Tensor losses(Tensor logits, Tensor targets) {
        if (ignored.isEmpty()) return reduction.of(rows(logits, targets));
        var skip = targets.literal((double) ignored.getAsLong());
        var counted = targets.ne(skip);
        var safe = Tensors.where(counted, targets, targets.literal(0));
        var rows = rows(logits, safe);
        var kept = Tensors.where(counted, rows, rows.literal(0));
        return reduction.of(kept, counted.cast(logits.dtype()));
    }

    /** {@code log(sum(exp(x))) - (1 - smoothing) x[target] - smoothing mean(x)}, a row. */
    private Tensor rows(Tensor x, Tensor targets) {
        int last = x.rank() - 1;
        var stats = Softmax.Rows.of(x, List.of(last));
        var rows = x.shape().reduce(List.of(last), false);
        var max = stats.max().reshape(rows).detach();
        var logSum = stats.logSum().reshape(rows);
        var hit = x.apply(new Softmax.Pick(), targets).sub(max);
        if (smoothing == 0) return logSum.sub(hit);
        var even = x.mean(last).sub(max);
        return logSum.sub(hit.mul(1 - smoothing)).sub(even.mul(smoothing));
    }
}
