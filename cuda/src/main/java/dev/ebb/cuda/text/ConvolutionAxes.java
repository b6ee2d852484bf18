package dev.ebb.cuda.text;

import dev.ebb.ir.Kernel;

import java.util.ArrayList;
import java.util.List;

/**
 * The index mapping of a convolution: how its result is gathered from its source, for three axes;
 * missing axes have one element.
 */
record ConvolutionAxes(List<Axis> axes) {

    /**
     * One axis. Tap m of position i reads element {@code i * scale + start + m * step} of the
     * source; position i is element {@code i * stride + phase} of the result.
     *
     * @param source elements of the source
     * @param result elements of the result
     * @param positions those of the result that are computed
     * @param kernel elements of the kernel
     * @param taps the kernel elements that contribute to these positions: {@code firstTap + m *
     *     tapStep}
     */
    record Axis(
            int source,
            int result,
            int positions,
            int scale,
            int start,
            int step,
            int stride,
            int phase,
            int kernel,
            int taps,
            int firstTap,
            int tapStep) {
        static final Axis NONE = new Axis(1, 1, 1, 1, 0, 1, 1, 0, 1, 1, 0, 1);

        /** The same axis with a single tap: each position reads the next element. */
        Axis window(int source, int positions, int start) {
            return new Axis(source, result, positions, 1, start, 1, stride, phase, kernel, 1, 0, 1);
        }

        static Axis output(Kernel.Convolve k, int d) {
            int kernel = k.kernel().get(d);
            return new Axis(
                    k.in().get(d),
                    k.out().get(d),
                    k.out().get(d),
                    k.stride().get(d),
                    -k.low().get(d),
                    k.dilation().get(d),
                    1,
                    0,
                    kernel,
                    kernel,
                    0,
                    1);
        }

        /** The elements of the input with remainder {@code phase} modulo the stride. */
        static Axis input(Kernel.Convolve k, int d, int phase) {
            int stride = k.stride().get(d);
            int dilation = k.dilation().get(d);
            int beyond = phase + k.low().get(d);
            int kernel = k.kernel().get(d);
            int first = 0;
            while (first < kernel && (beyond - first * dilation) % stride != 0) first++;
            int step = 1;
            while (step * dilation % stride != 0) step++;
            int taps = first < kernel ? Math.ceilDiv(kernel - first, step) : 0;
            int size = k.in().get(d);
            return new Axis(
                    k.out().get(d),
                    size,
                    phase < size ? Math.ceilDiv(size - phase, stride) : 0,
                    1,
                    taps > 0 ? (beyond - first * dilation) / stride : 0,
                    -step * dilation / stride,
                    stride,
                    phase,
                    kernel,
                    taps,
                    first,
                    step);
        }
    }

    ConvolutionAxes {
        var all = new ArrayList<Axis>();
        for (int d = axes.size(); d < 3; d++) all.add(Axis.NONE);
        all.addAll(axes);
        axes = List.copyOf(all);
    }

    static long size(List<Integer> dims) {
        return dims.stream().mapToLong(Integer::longValue).reduce(1, (a, b) -> a * b);
    }

    static ConvolutionAxes output(Kernel.Convolve k) {
        var axes = new ArrayList<Axis>();
        for (int d = 0; d < k.in().size(); d++) axes.add(Axis.output(k, d));
        return new ConvolutionAxes(axes);
    }

    /** The gradient of the input: each phase of the strides separately. */
    static List<ConvolutionAxes> phases(Kernel.Convolve k) {
        var all = new ArrayList<List<Axis>>();
        all.add(List.of());
        for (int d = 0; d < k.in().size(); d++) {
            var longer = new ArrayList<List<Axis>>();
            for (var before : all) {
                for (int phase = 0; phase < k.stride().get(d); phase++) {
                    var axes = new ArrayList<>(before);
                    axes.add(Axis.input(k, d, phase));
                    longer.add(axes);
                }
            }
            all.clear();
            all.addAll(longer);
        }
        return all.stream().map(ConvolutionAxes::new).toList();
    }

    List<Integer> positions() {
        return axes.stream().map(Axis::positions).toList();
    }

    List<Integer> taps() {
        return axes.stream().map(Axis::taps).toList();
    }

    private boolean isOneTap() {
        return axes.stream().allMatch(a -> a.taps() == 1);
    }

    /** Whether position i reads exactly element i of the source. */
    boolean isEverySource() {
        return isOneTap()
                && axes.stream()
                        .allMatch(
                                a ->
                                        a.source() == a.positions()
                                                && (a.positions() == 1 || a.scale() == 1)
                                                && a.start() == 0);
    }

    /** All elements of the source, in order. */
    ConvolutionAxes everySource() {
        return new ConvolutionAxes(axes.stream().map(a -> identity(a, a.source())).toList());
    }

    /** All positions of the result, in order. */
    ConvolutionAxes everyResult() {
        return new ConvolutionAxes(axes.stream().map(a -> identity(a, a.positions())).toList());
    }

    private static Axis identity(Axis a, int size) {
        return new Axis(size, size, size, 1, 0, 1, 1, 0, a.kernel(), 1, a.firstTap(), a.tapStep());
    }

    /**
     * The elements to copy to channels-last layout; with a single tap, only those that it reads.
     */
    ConvolutionAxes toTurn() {
        return isOneTap() ? this : everySource();
    }

    /** How the result is gathered from that copy. */
    ConvolutionAxes afterTurn() {
        return isOneTap() ? everyResult() : this;
    }

    /** Writes the constants by which kernels refer to these numbers. */
    void constants(SourceLines code) {
        for (int d = 0; d < 3; d++) {
            var a = axes.get(d);
            var names = List.of("X", "Q", "P", "M", "A", "B", "G", "F", "N");
            var values =
                    List.of(
                            a.source(),
                            a.result(),
                            Math.max(1, a.positions()),
                            a.scale(),
                            a.start(),
                            a.step(),
                            a.stride(),
                            a.phase(),
                            Math.max(1, a.taps()));
            for (int i = 0; i < names.size(); i++) code.constant(names.get(i) + d, values.get(i));
        }
    }

    /** Writes {@code t}, the kernel element of {@code tap}. */
    void kernelTap(SourceLines code) {
        var text = "0";
        for (int d = 0; d < 3; d++) {
            var a = axes.get(d);
            long inner = 1;
            for (int e = d + 1; e < 3; e++) inner *= axes.get(e).taps();
            text =
                    "(%s) * %d + %d + tap / %d %% %d * %d"
                            .formatted(
                                    text, a.kernel(), a.firstTap(), inner, a.taps(), a.tapStep());
        }
        code.add("const num t = %s;", text);
    }
}
