package dev.ebb.tensor.op;

import dev.ebb.ir.DType;
import dev.ebb.ir.Op;
import dev.ebb.ir.Type;

import java.util.ArrayList;
import java.util.List;

/** Ops on a tensor's first axes, for passes that rewrite graphs. */
public final class Axes {
    private Axes() {}

    /** A tensor of {@code type}, {@code count} times along a new first axis. */
    public static Op repeated(int count, Type type) {
        return new Moves.BroadcastTo(type.shape().prepend(count));
    }

    /** A tensor of {@code type} with its first two axes exchanged. */
    public static Op swapped(Type type) {
        var axes = new ArrayList<>(type.shape().allAxes());
        axes.set(0, 1);
        axes.set(1, 0);
        return new Moves.Permute(axes);
    }

    /** The sum over the first axis. */
    public static Op summed(DType dtype) {
        return new Reductions.Sum(List.of(0), dtype);
    }
}
