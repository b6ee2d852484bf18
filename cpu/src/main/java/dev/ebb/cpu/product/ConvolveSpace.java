package dev.ebb.cpu.product;

import dev.ebb.ir.Kernel;

import java.util.List;

/**
 * The geometry of a convolution, as three axes: for a tap of the kernel and a position in one
 * tensor, the position in the other tensor that the tap pairs it with. Either the iteration is over
 * outputs and inputs are read, {@code x = y * stride + tap * dilation - low}, or the reverse, where
 * this equation has a solution.
 */
final class ConvolveSpace {
    private static final int AXES = 3;

    /**
     * Sizes of the tensor over which the iteration runs, of the one that is read, and of the
     * kernel.
     */
    private final int[] walked;

    private final int[] read;
    private final int[] kernel;
    private final int[] stride;
    private final int[] low;
    private final int[] dilation;
    private final boolean back;

    /**
     * @param back whether the iteration is over inputs and outputs are read
     */
    ConvolveSpace(Kernel.Convolve c, boolean back) {
        this.back = back;
        walked = axes(back ? c.in() : c.out(), 1);
        read = axes(back ? c.out() : c.in(), 1);
        kernel = axes(c.kernel(), 1);
        stride = axes(c.stride(), 1);
        low = axes(c.low(), 0);
        dilation = axes(c.dilation(), 1);
    }

    private static int[] axes(List<Integer> sizes, int missing) {
        var axes = new int[AXES];
        int lead = AXES - sizes.size();
        for (int d = 0; d < AXES; d++) axes[d] = d < lead ? missing : sizes.get(d - lead);
        return axes;
    }

    int places() {
        return walked[0] * walked[1] * walked[2];
    }

    /** Elements of one channel of the tensor that is read. */
    int channel() {
        return read[0] * read[1] * read[2];
    }

    int taps() {
        return kernel[0] * kernel[1] * kernel[2];
    }

    /**
     * Writes, for {@code count} positions from {@code first} on, the offset of the element that
     * {@code tap} pairs them with; -1 if it is outside.
     */
    void offsets(int tap, int first, int count, int[] into) {
        int t2 = tap % kernel[2];
        int t1 = tap / kernel[2] % kernel[1];
        int t0 = tap / kernel[2] / kernel[1];
        for (int i = 0; i < count; i++) {
            int place = first + i;
            int p2 = joined(2, place % walked[2], t2);
            int p1 = joined(1, place / walked[2] % walked[1], t1);
            int p0 = joined(0, place / walked[2] / walked[1], t0);
            into[i] = (p0 | p1 | p2) < 0 ? -1 : (p0 * read[1] + p1) * read[2] + p2;
        }
    }

    private int joined(int axis, int place, int tap) {
        if (!back) {
            int x = place * stride[axis] + tap * dilation[axis] - low[axis];
            return x < read[axis] ? x : -1;
        }
        int scaled = place + low[axis] - tap * dilation[axis];
        return scaled >= 0 && scaled % stride[axis] == 0 && scaled / stride[axis] < read[axis]
                ? scaled / stride[axis]
                : -1;
    }
}
