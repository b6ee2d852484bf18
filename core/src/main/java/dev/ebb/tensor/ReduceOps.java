package dev.ebb.tensor;

import dev.ebb.ir.Kernel;

import java.util.List;

/**
 * Reductions. Axes count from the end if negative; {@code keep} leaves reduced axes with size one.
 */
public interface ReduceOps {

    private Tensor self() {
        return (Tensor) this;
    }

    private Tensor shaped(Tensor reduced, List<Integer> axes, boolean keep) {
        return keep ? reduced.reshape(self().shape().reduce(axes, true)) : reduced;
    }

    default Tensor sum(List<Integer> axes, boolean keep) {
        var a = self().shape().axes(axes);
        return a.isEmpty() ? self() : shaped(self().apply(new Reductions.Sum(a)), a, keep);
    }

    /** The sum of all elements. */
    default Tensor sum() {
        return sum(self().shape().allAxes(), false);
    }

    default Tensor sum(int axis) {
        return sum(List.of(axis), false);
    }

    default Tensor mean(List<Integer> axes, boolean keep) {
        long n = 1;
        for (int a : self().shape().axes(axes)) n *= self().shape().dim(a);
        return sum(axes, keep).div((double) n);
    }

    /** The mean of all elements. */
    default Tensor mean() {
        return mean(self().shape().allAxes(), false);
    }

    default Tensor mean(int axis) {
        return mean(List.of(axis), false);
    }

    default Tensor amax(List<Integer> axes, boolean keep) {
        var a = self().shape().axes(axes);
        return a.isEmpty()
                ? self()
                : shaped(self().apply(new Reductions.Extreme(a, Kernel.Combine.MAX)), a, keep);
    }

    default Tensor amin(List<Integer> axes, boolean keep) {
        var a = self().shape().axes(axes);
        return a.isEmpty()
                ? self()
                : shaped(self().apply(new Reductions.Extreme(a, Kernel.Combine.MIN)), a, keep);
    }
}
