package dev.ebb.tensor.network;

import dev.ebb.ir.DType;
import dev.ebb.ir.Scalar;
import dev.ebb.ir.Shape;
import dev.ebb.ir.View;
import dev.ebb.tensor.Tensor;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * The geometry of small pooling windows over [batch, channels, ...]. The tensor is padded, or cut
 * where no window reaches, so that every window lies within it and each spatial axis is a whole
 * number of strides.
 *
 * @param lead batch and channels
 */
record PoolGeometry(List<Integer> lead, List<Axis> axes) {

    /** One spatial axis: {@code low} elements come before the {@code in} real ones. */
    record Axis(int in, int low, int padded, int out, int kernel, int stride) {
        static Axis of(int in, int out, int kernel, int stride, int padding) {
            int reach = (out - 1) * stride + kernel;
            int padded = Math.ceilDiv(reach, stride) * stride;
            return new Axis(in, padding, padded, out, kernel, stride);
        }

        /** The number of elements after the real ones; negative if real ones are cut. */
        int high() {
            return padded - low - in;
        }

        /** The largest number of windows that contain an element. */
        int cover() {
            return Math.ceilDiv(kernel, stride);
        }

        /** The number of strides of the padded axis. */
        int strides() {
            return padded / stride;
        }
    }

    static PoolGeometry of(Tensor x, Pool p) {
        var out = p.out(x);
        var axes = new ArrayList<Axis>();
        for (int d = 0; d < out.size(); d++) {
            axes.add(
                    Axis.of(
                            x.dim(2 + d),
                            out.get(d),
                            p.kernel().get(d),
                            p.stride().get(d),
                            p.padding().get(d)));
        }
        return new PoolGeometry(x.shape().dims().subList(0, 2), axes);
    }

    int rank() {
        return axes.size();
    }

    /** The same windows over the padded tensor. */
    Pool pool() {
        return new Pool(
                axes.stream().map(Axis::kernel).toList(),
                axes.stream().map(Axis::stride).toList(),
                Collections.nCopies(rank(), 0));
    }

    private Shape shape(java.util.function.ToIntFunction<Axis> size) {
        var dims = new ArrayList<>(lead);
        for (var a : axes) dims.add(size.applyAsInt(a));
        return new Shape(dims);
    }

    Shape padded() {
        return shape(Axis::padded);
    }

    Shape pooled() {
        return shape(Axis::out);
    }

    /**
     * The shape of the windows together with those that begin before the first or after the last
     * one.
     */
    Shape surrounded() {
        return shape(a -> a.strides() + a.cover() - 1);
    }

    /**
     * The shape of the padded tensor with a further axis, for the elements within a stride, after
     * each spatial axis.
     */
    Shape phases() {
        var dims = new ArrayList<>(lead);
        for (var a : axes) {
            dims.add(a.strides());
            dims.add(a.stride());
        }
        return new Shape(dims);
    }

    private static List<Integer> behindLead(List<Integer> spatial) {
        var all = new ArrayList<>(List.of(0, 0));
        all.addAll(spatial);
        return all;
    }

    Tensor padded(Tensor x, double value) {
        Tensor used = x;
        for (int d = 0; d < rank(); d++) {
            var a = axes.get(d);
            if (a.high() < 0) used = used.slice(2 + d, 0, a.in() + a.high());
        }
        if (used.shape().equals(padded())) return used;
        var low = axes.stream().map(Axis::low).toList();
        var high = axes.stream().map(a -> Math.max(0, a.high())).toList();
        return used.pad(behindLead(low), behindLead(high), value);
    }

    /** {@code windows} padded with zeros to {@link #surrounded()}. */
    Tensor surrounded(Tensor windows) {
        if (windows.shape().equals(surrounded())) return windows;
        var low = axes.stream().map(a -> a.cover() - 1).toList();
        var high = axes.stream().map(a -> a.strides() - a.out()).toList();
        return windows.pad(behindLead(low), behindLead(high));
    }

    /** The part of {@code surrounded} that holds the windows. */
    Tensor windows(Tensor surrounded) {
        Tensor x = surrounded;
        for (int d = 0; d < rank(); d++) {
            int low = axes.get(d).cover() - 1;
            x = x.slice(2 + d, low, low + axes.get(d).out());
        }
        return x;
    }

    /** All lists with a number from zero up to each of {@code sizes}, the last fastest. */
    private static List<List<Integer>> numbers(List<Integer> sizes) {
        List<List<Integer>> all = List.of(List.of());
        for (int size : sizes) {
            var longer = new ArrayList<List<Integer>>();
            for (var before : all) {
                for (int i = 0; i < size; i++) {
                    var list = new ArrayList<>(before);
                    list.add(i);
                    longer.add(list);
                }
            }
            all = longer;
        }
        return all;
    }

    /** The elements of a window, in order. */
    List<List<Integer>> taps() {
        return numbers(axes.stream().map(Axis::kernel).toList());
    }

    /**
     * How many windows further on each window that holds an element begins; the first one first.
     */
    List<List<Integer>> covers() {
        return numbers(axes.stream().map(Axis::cover).toList());
    }

    /** Reads, at a window, this element of it in the padded tensor. */
    View tap(List<Integer> tap) {
        var own = View.contiguous(padded());
        var strides = new ArrayList<>(own.strides().subList(0, 2));
        long offset = 0;
        for (int d = 0; d < rank(); d++) {
            offset += tap.get(d) * own.stride(2 + d);
            strides.add(own.stride(2 + d) * axes.get(d).stride());
        }
        return new View(offset, strides);
    }

    /**
     * The view that reads, for each element (by its phases), the value of this window among those
     * that contain it.
     */
    View cover(List<Integer> number) {
        var own = View.contiguous(surrounded());
        var strides = new ArrayList<>(own.strides().subList(0, 2));
        long offset = 0;
        for (int d = 0; d < rank(); d++) {
            offset += number.get(d) * own.stride(2 + d);
            strides.add(own.stride(2 + d));
            strides.add(0L);
        }
        return new View(offset, strides);
    }

    /** Whether an element of the window at the current index is no padding. */
    Scalar isReal(List<Integer> tap) {
        Scalar real = new Scalar.Lit(DType.BOOL, 1);
        for (int d = 0; d < rank(); d++) {
            var a = axes.get(d);
            var at = new Scalar.Index(2 + d).mul(integer(a.stride())).add(integer(tap.get(d)));
            if (tap.get(d) < a.low()) real = real.and(at.ge(integer(a.low())));
            int end = a.low() + a.in();
            if ((a.out() - 1) * a.stride() + tap.get(d) >= end)
                real = real.and(at.lt(integer(end)));
        }
        return real;
    }

    /** Whether this window of those that may hold the current element chose it by {@code route}. */
    Scalar isChosen(List<Integer> number, Scalar route) {
        Scalar there = new Scalar.Lit(DType.BOOL, 1);
        Scalar tap = integer(0);
        for (int d = 0; d < rank(); d++) {
            var a = axes.get(d);
            int before = a.stride() * (a.cover() - 1 - number.get(d));
            var own = new Scalar.Index(3 + 2 * d).add(integer(before));
            if (before + a.stride() > a.kernel()) there = there.and(own.lt(integer(a.kernel())));
            tap = tap.mul(integer(a.kernel())).add(own);
        }
        return there.and(route.eq(tap));
    }

    static Scalar integer(int n) {
        return new Scalar.Lit(DType.I32, n);
    }
}
