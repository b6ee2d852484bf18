package dev.ebb.exec.transfer;

import dev.ebb.exec.Session;
import dev.ebb.ir.Buffer;
import dev.ebb.ir.CheckpointArea;
import dev.ebb.ir.Memory;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The offloaded checkpoints of a loop, one after the other in a place outside the arena; each carry
 * is a block.
 */
final class OffloadedCheckpoints implements CheckpointStore {
    /** Stands for no state. */
    private static final int NONE = -1;

    private final Session session;
    private final TransferLane lane;
    private final String loop;
    private final long offset;
    private final CheckpointArea area;
    private final Map<Integer, PlaceStore.Block[]> states = new HashMap<>();
    private final List<TransferLane.LaneTransfer> underWay = new ArrayList<>();
    private int arriving = NONE;

    OffloadedCheckpoints(
            Session session, TransferLane lane, String loop, long offset, CheckpointArea area) {
        this.session = session;
        this.lane = lane;
        this.loop = loop;
        this.offset = offset;
        this.area = area;
    }

    @Override
    public void put(int number, List<Buffer> carries, Memory beside) {
        var blocks = blocks(number, carries);
        if (beside.bytes() == 0) {
            move(blocks, carries, true);
            return;
        }
        settle();
        var places = places(carries, beside);
        session.copy(carries, places);
        start(blocks, places, true);
    }

    @Override
    public void get(int number, List<Buffer> carries, Memory beside) {
        if (arriving != number) {
            settle();
            move(blocks(number, carries), carries, false);
            return;
        }
        settle();
        var places = places(carries, beside);
        session.copy(places, carries);
    }

    /**
     * Transfers run one after the other, so an earlier write from that memory is complete before
     * this one begins.
     */
    @Override
    public void ahead(int number, List<Buffer> carries, Memory beside) {
        if (beside.bytes() == 0) return;
        start(blocks(number, carries), places(carries, beside), false);
        arriving = number;
    }

    @Override
    public void begin() {
        underWay.clear();
        arriving = NONE;
    }

    @Override
    public void settle() {
        arriving = NONE;
        for (var transfer : underWay) transfer.await();
        underWay.clear();
    }

    private void move(PlaceStore.Block[] blocks, List<Buffer> carries, boolean out) {
        settle();
        start(blocks, carries, out);
        settle();
    }

    private void start(PlaceStore.Block[] blocks, List<Buffer> places, boolean out) {
        for (int i = 0; i < blocks.length; i++) {
            var transfer = lane.new LaneTransfer(blocks[i], places.get(i).memory(), out);
            underWay.add(transfer);
            transfer.start();
        }
    }

    /** The buffer of each carry of a state in {@code memory}. */
    private static List<Buffer> places(List<Buffer> carries, Memory memory) {
        var places = new ArrayList<Buffer>();
        long at = 0;
        for (var c : carries) {
            places.add(new Buffer(c.dtype(), c.size(), memory.slice(at, c.bytes())));
            at += CheckpointArea.lines(c.bytes());
        }
        return places;
    }

    private PlaceStore.Block[] blocks(int number, List<Buffer> carries) {
        return states.computeIfAbsent(number, n -> made(n, carries));
    }

    private PlaceStore.Block[] made(int number, List<Buffer> carries) {
        var blocks = new PlaceStore.Block[carries.size()];
        long at = offset + number * area.state();
        for (int i = 0; i < blocks.length; i++) {
            long bytes = carries.get(i).bytes();
            blocks[i] = new PlaceStore.Block("state " + number + " of " + loop, at, bytes);
            at += CheckpointArea.lines(bytes);
        }
        return blocks;
    }
}
