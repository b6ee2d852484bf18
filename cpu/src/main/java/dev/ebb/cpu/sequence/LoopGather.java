package dev.ebb.cpu.sequence;

import dev.ebb.cpu.tile.Tile;
import dev.ebb.exec.OpErrors;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Node;

/**
 * Gathers rows by an index for the iterations of a {@link MergedLoop}, copied to registers one
 * block of iterations at a time. All elements of an iteration use the same index.
 */
final class LoopGather {
    private final Node node;
    private final MergedLoopBody body;
    private final int number;

    /** Sizes of the axes of the loop, innermost first, and the strides of both views along them. */
    private final long[] sizes;

    private final long[] dataSteps;
    private final long[] indexSteps;
    private final long indexStart;
    private final int at;
    private final int inner;

    LoopGather(MergedLoopForm form, int number, MergedLoopBody body) {
        var pick = form.merged().picks().get(number);
        node = pick.work().node();
        this.body = body;
        this.number = number;
        var data = pick.sliced().inputs().get(0);
        var index = pick.sliced().inputs().get(1);
        int rank = data.loop().rank();
        sizes = new long[rank];
        dataSteps = new long[rank];
        indexSteps = new long[rank];
        for (int d = 0; d < rank; d++) {
            sizes[d] = data.loop().dim(rank - 1 - d);
            dataSteps[d] = data.strides().get(rank - 1 - d);
            indexSteps[d] = index.strides().get(rank - 1 - d);
        }
        indexStart = ((Kernel.Gather) pick.sliced().kernel()).index().offset();
        at = form.starts().getOrDefault(pick.slot(), 0);
        inner = (int) pick.sliced().outputs().getFirst().inner();
    }

    /** Rounds {@code first} to {@code first + some}, exclusive. */
    void run(Tile tile, long first, int some) {
        try {
            for (int done = 0; done < some; ) {
                long left = first + done;
                long data = 0;
                long index = indexStart;
                int run = (int) Math.min(some - done, sizes[0] - left % sizes[0]);
                for (int d = 0; d < sizes.length; d++) {
                    long i = left % sizes[d];
                    left /= sizes[d];
                    data += i * dataSteps[d];
                    index += i * indexSteps[d];
                }
                body.pick(number, tile.f64, tile.f32, data, index, at + done * inner, run);
                done += run;
            }
        } catch (IndexOutOfBoundsException e) {
            throw OpErrors.named(node, e);
        }
    }
}
