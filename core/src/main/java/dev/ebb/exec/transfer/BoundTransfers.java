package dev.ebb.exec.transfer;

import dev.ebb.exec.PlaceException;
import dev.ebb.exec.Queue;
import dev.ebb.exec.Session;
import dev.ebb.ir.Buffer;
import dev.ebb.ir.Memory;
import dev.ebb.ir.Node;
import dev.ebb.ir.Table;
import dev.ebb.ir.Value;
import dev.ebb.plan.schedule.Disk;
import dev.ebb.plan.schedule.Host;
import dev.ebb.plan.schedule.Layout;
import dev.ebb.plan.schedule.LoopStates;
import dev.ebb.plan.schedule.Place;
import dev.ebb.plan.schedule.PlaceLayout;
import dev.ebb.plan.schedule.Step;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The transfers of a schedule bound to memory and to the places outside the arena, and the waits
 * they need: a kernel waits until its operands have been read, and memory that was freed by an
 * offload is reused only after the write has ended. Each place has one lane, in which transfers run
 * one after the other, or one lane for each direction.
 */
public final class BoundTransfers implements AutoCloseable {

    /** Opens the file in a folder to which values are offloaded. */
    public interface Opener {
        BackingStore in(Path folder) throws IOException;
    }

    /**
     * A place that a schedule uses.
     *
     * @param out the lane of offloads and of the states of loops
     * @param in the lane of fetches; the same lane if the place is not two-way
     * @param ordered the transfers that the device orders itself, if it does: all except those
     *     between two runs and those of states of loops
     */
    private record Open(
            PlaceLayout layout,
            PlaceStore store,
            TransferLane out,
            TransferLane in,
            Optional<OrderedTransfer.Lanes> ordered,
            Table<Value, PlaceStore.Block> blocks) {

        static Open of(PlaceLayout layout, PlaceStore store, Queue queue) {
            var traffic = new TransferLane.Traffic();
            var out = new TransferLane(layout.place(), store, queue, traffic);
            var in =
                    layout.place().isTwoWay()
                            ? new TransferLane(layout.place(), store, queue, traffic)
                            : out;
            var ordered =
                    store.deviceCopies().map(c -> new OrderedTransfer.Lanes(layout.place(), c));
            return new Open(layout, store, out, in, ordered, new Table<>());
        }

        void idle() {
            out.idle();
            in.idle();
            ordered.ifPresent(OrderedTransfer.Lanes::idle);
        }

        long highest() {
            return Math.max(out.highest(), ordered.map(OrderedTransfer.Lanes::highest).orElse(0L));
        }

        void close() {
            out.close();
            in.close();
            try {
                store.close();
            } catch (IOException e) {
                throw new IllegalStateException(layout.place().name() + " cannot be closed", e);
            }
        }

        /** The block of {@code v}; a state and its next version share a block. */
        PlaceStore.Block block(Value v) {
            return blocks.find(v).orElseGet(() -> made(v));
        }

        private PlaceStore.Block made(Value v) {
            var made = new PlaceStore.Block(v.toString(), layout.offsets().at(v), v.type().bytes());
            for (var pair : layout.versions().entrySet()) {
                if (pair.getKey().equals(v) || pair.getValue().equals(v)) {
                    blocks.put(pair.getKey(), made);
                    blocks.put(pair.getValue(), made);
                }
            }
            blocks.put(v, made);
            return made;
        }

        /** The next transfer of a run. */
        Transfer inRun(Value v, Memory memory, boolean away) {
            if (ordered.isPresent()) return ordered.get().next(block(v), memory, away);
            return betweenRuns(v, memory, away);
        }

        TransferLane.LaneTransfer betweenRuns(Value v, Memory memory, boolean away) {
            var lane = away ? out : in;
            return lane.new LaneTransfer(block(v), memory, away);
        }
    }

    private final Layout layout;
    private final Map<Value, Place> away;

    /** The places that are used, by their number in the problem. */
    private final Map<Integer, Open> open = new HashMap<>();

    private final Map<Value, Transfer> arriving = new HashMap<>();
    private final Map<Value, List<Transfer>> leaving = new HashMap<>();
    private final Table<Value, CheckpointStore> states = new Table<>();
    private final List<Transfer> due = new ArrayList<>();

    /** For a schedule without transfers. */
    public BoundTransfers(Layout layout) {
        this.layout = layout;
        away = layout.schedule().away();
    }

    /** Opens the places that {@code layout} uses, each of the size that it promises. */
    public BoundTransfers(Layout layout, Session session, Opener opener) {
        this(layout);
        for (int k = 0; k < layout.places().size(); k++) {
            var there = layout.places().get(k);
            if (there.bytes() == 0) continue;
            try {
                open.put(k, Open.of(there, store(there, session, opener), session.queue()));
            } catch (IOException | RuntimeException | OutOfMemoryError e) {
                close();
                var fault =
                        switch (there.place()) {
                            case Disk _ -> "no file can be made";
                            case Host _ -> "no memory can be had";
                        };
                throw new PlaceException(fault, there.bytes(), there.place(), e.toString(), e);
            }
        }
    }

    private static PlaceStore store(PlaceLayout there, Session session, Opener opener)
            throws IOException {
        return switch (there.place()) {
            case Disk disk -> new FileStore(opener.in(disk.folder()), session.queue());
            case Host host -> PlaceStore.in(session.queue().hostPool(host.kind(), there.bytes()));
        };
    }

    private Open in(Place place) {
        var found = open.get(layout.schedule().problem().places().indexOf(place));
        if (found == null) throw new IllegalStateException("nothing is put in " + place.name());
        return found;
    }

    /** The place of {@code v}, which starts or ends outside the arena, between two runs. */
    private Open home(Value v) {
        var start = away.get(v);
        if (start != null) return in(start);
        for (var there : open.values()) if (there.layout.offsets().has(v)) return there;
        throw new IllegalStateException(v + " is in no place");
    }

    /** The store for the offloaded states of a loop, which its reverse reads. */
    public CheckpointStore states(Node node, Session session) {
        // a loop with memory for states in a place may not need it: if all its iterations are on
        // tape, it has no states
        var found = LoopStates.of(node).filter(s -> s.bytes() > 0);
        if (found.isEmpty()) return CheckpointStore.NONE;
        var loop = found.get();
        return states.find(loop.key())
                .orElseGet(
                        () -> {
                            var there = open.get(loop.area().place());
                            if (there == null)
                                throw new IllegalStateException("a loop without its place");
                            long offset = there.layout.loops().at(loop.key());
                            var made =
                                    new OffloadedCheckpoints(
                                            session,
                                            there.out,
                                            node.op().name(),
                                            offset,
                                            loop.area());
                            states.put(loop.key(), made);
                            return made;
                        });
    }

    public Runnable offload(Value v, Place to, Buffer from) {
        var transfer = in(to).inRun(v, from.memory(), true);
        leaving.computeIfAbsent(v, _ -> new ArrayList<>()).add(transfer);
        return after(arrived(List.of(v)), transfer::start);
    }

    public Runnable fetch(Value v, Place from, Buffer to) {
        var transfer = in(from).inRun(v, to.memory(), false);
        arriving.put(v, transfer);
        return after(taken(), transfer::start);
    }

    /** The memory of {@code v} is freed: the next step waits until it has been written. */
    public void freed(Value v) {
        due.addAll(arrived(List.of(v)));
        due.addAll(written(v));
    }

    /**
     * {@code body}, which first waits until the values that it reads have arrived and those that it
     * overwrites have been written.
     */
    public Runnable after(Step.Work work, Runnable body) {
        var waits = arrived(work.node().inputs());
        for (var reuse : work.reuses()) waits.addAll(written(reuse.from()));
        waits.addAll(taken());
        return after(waits, body);
    }

    private List<Transfer> taken() {
        var waits = new ArrayList<>(due);
        due.clear();
        return waits;
    }

    private List<Transfer> arrived(List<Value> values) {
        var waits = new ArrayList<Transfer>();
        for (Value v : values) {
            var transfer = arriving.remove(v);
            if (transfer != null) waits.add(transfer);
        }
        return waits;
    }

    private List<Transfer> written(Value v) {
        var transfers = leaving.remove(v);
        return transfers == null ? List.of() : transfers;
    }

    private static Runnable after(List<Transfer> waits, Runnable body) {
        if (waits.isEmpty()) return body;
        return () -> {
            for (var transfer : waits) transfer.await();
            body.run();
        };
    }

    /** The transfers that no step waits for when the last step has been bound. */
    public Runnable end() {
        var waits = taken();
        waits.addAll(arriving.values());
        leaving.values().forEach(waits::addAll);
        return after(waits, () -> {});
    }

    /** Whether a run needs no thread of the host for its transfers. */
    public boolean areOrdered() {
        return open.values().stream().allMatch(o -> o.ordered().isPresent());
    }

    /** A run begins, unless it moves values and its thread is interrupted. */
    public void begin() {
        if (!open.isEmpty()) TransferLane.heed();
    }

    /** A run has failed: waits until the transfers under way have ended. */
    public void settle() {
        open.values().forEach(Open::idle);
    }

    /**
     * Reads {@code v}, which no run changes, back after a run has failed, if it was ever offloaded:
     * its memory may hold another value now.
     */
    public void recover(Value v, Memory to) {
        for (var there : open.values()) {
            if (there.blocks.find(v).filter(PlaceStore.Block::written).isEmpty()) continue;
            move(there.betweenRuns(v, to, false));
            return;
        }
    }

    /** Writes {@code v} to the place in which it starts, at once. */
    public void put(Value v, MemorySegment from) {
        move(home(v).betweenRuns(v, Memory.of(from), true));
    }

    /** Reads {@code v} from its place outside the arena, at once. */
    public void get(Value v, MemorySegment to) {
        move(home(v).betweenRuns(v, Memory.of(to), false));
    }

    private static void move(TransferLane.LaneTransfer transfer) {
        transfer.start();
        transfer.finish();
    }

    /** The highest byte of each place that has been written, in the order of the places. */
    public long[] highest() {
        var highest = new long[layout.places().size()];
        open.forEach((k, there) -> highest[k] = there.highest());
        return highest;
    }

    @Override
    public void close() {
        open.values().forEach(Open::close);
    }
}
