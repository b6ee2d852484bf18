package dev.ebb.cuda.text;

import dev.ebb.ir.DType;

import java.util.ArrayList;

/**
 * A channels-last (NHWC) copy of a convolution's source, and how the result is gathered from this
 * copy.
 *
 * @param copy the positions that are copied
 * @param gather how taps are gathered from the copy
 * @param channels of the source
 * @param side elements per position of the copy: its channels, padded with zeros
 * @param window positions along the last axis that are gathered as one tap
 * @param pixel elements of the copy from one position of {@code gather} to the next
 */
record ChannelsLastCopy(
        ConvolutionAxes copy,
        ConvolutionAxes gather,
        int channels,
        int side,
        int window,
        int pixel) {
    private static final int COPY_BYTES = 16;

    /** With at most this many channels most of a copy of sixteen bytes would be padding. */
    private static final int FEW = 4;

    static ChannelsLastCopy of(ConvolutionAxes s, int channels, DType type) {
        var last = s.axes().getLast();
        boolean together =
                type.bytes(1) == 2
                        && channels <= FEW
                        && last.taps() > 1
                        && last.step() == 1
                        && last.scale() % 2 == 0;
        if (together) return together(s, channels);
        int side = TensorConvolve.padded(channels, COPY_BYTES / (int) type.bytes(1));
        return new ChannelsLastCopy(s.toTurn(), s.afterTurn(), channels, side, 1, side);
    }

    /**
     * Taps along the last axis are neighbours in the copy, which also contains the zeros with which
     * the axis is padded: so one tap of the other axes gathers all of them.
     */
    private static ChannelsLastCopy together(ConvolutionAxes s, int channels) {
        var last = s.axes().getLast();
        int window = Math.ceilDiv(last.taps(), 2) * 2;
        int step = last.scale();
        int places = Math.ceilDiv((last.positions() - 1) * step + window, step);
        var copied = new ArrayList<>(s.everySource().axes());
        copied.set(2, last.window(last.source(), places * step, last.start()));
        var gathered = new ArrayList<>(s.axes());
        gathered.set(2, last.window(places, last.positions(), 0));
        return new ChannelsLastCopy(
                new ConvolutionAxes(copied),
                new ConvolutionAxes(gathered),
                channels,
                FEW,
                window,
                step * FEW);
    }

    /** Elements that one tap gathers. */
    int padded() {
        return side * window;
    }

    /** Elements of the copy of one image. */
    long elements() {
        return ConvolutionAxes.size(copy.positions()) * side;
    }
}
