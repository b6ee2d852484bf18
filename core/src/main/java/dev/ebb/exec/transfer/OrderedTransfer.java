package dev.ebb.exec.transfer;

import dev.ebb.exec.HostPool;
import dev.ebb.exec.PlaceException;
import dev.ebb.ir.Memory;
import dev.ebb.plan.schedule.Place;

import java.util.ArrayList;
import java.util.List;

/**
 * A transfer that the device orders itself: the host enqueues the transfer and the waits for it on
 * the device's streams and continues, so that kernels are not delayed.
 */
final class OrderedTransfer implements Transfer {
    private final Lanes lanes;
    private final PlaceStore.Block block;
    private final boolean out;
    private final HostPool.DeviceCopy copy;

    /**
     * The two directions of one place, and the transfers created for them so far, in the order of a
     * run.
     */
    static final class Lanes {
        private final Place place;
        private final HostPool.DeviceCopies copies;
        private final List<OrderedTransfer> made = new ArrayList<>();
        private long highest;

        Lanes(Place place, HostPool.DeviceCopies copies) {
            this.place = place;
            this.copies = copies;
        }

        /**
         * The next transfer of a run; it waits for those in the other direction that share its
         * bytes.
         */
        OrderedTransfer next(PlaceStore.Block block, Memory memory, boolean out) {
            var earlier =
                    made.stream()
                            .filter(t -> t.out != out && t.block.overlaps(block))
                            .map(t -> t.copy)
                            .toList();
            var part = memory.slice(0, block.bytes());
            var copy = copies.copy(part, block.offset(), out, earlier);
            var transfer = new OrderedTransfer(this, block, out, copy);
            made.add(transfer);
            return transfer;
        }

        /** The end of the last byte that has been written. */
        long highest() {
            return highest;
        }

        /** Returns when nothing is being copied. */
        void idle() {
            copies.finish();
        }
    }

    private OrderedTransfer(
            Lanes lanes, PlaceStore.Block block, boolean out, HostPool.DeviceCopy copy) {
        this.lanes = lanes;
        this.block = block;
        this.out = out;
        this.copy = copy;
    }

    @Override
    public void start() {
        if (!out && !block.written())
            throw failure(new IllegalStateException("nothing has been written there"));
        try {
            copy.start();
        } catch (RuntimeException e) {
            throw failure(e);
        }
        if (!out) return;
        block.written(0);
        lanes.highest = Math.max(lanes.highest, block.offset() + block.bytes());
    }

    @Override
    public void await() {
        copy.await();
    }

    private PlaceException failure(RuntimeException cause) {
        var fault = block.name() + (out ? " could not be written" : " could not be read back");
        return new PlaceException(fault, block.bytes(), lanes.place, cause.toString(), cause);
    }
}
