package dev.ebb.exec.transfer;

import dev.ebb.exec.Session;
import dev.ebb.ir.Buffer;
import dev.ebb.ir.Memory;
import dev.ebb.ir.Node;
import dev.ebb.ir.Table;
import dev.ebb.ir.Value;
import dev.ebb.plan.schedule.Layout;
import dev.ebb.plan.schedule.LoopStates;
import dev.ebb.plan.schedule.Step;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The transfers of a schedule bound to memory and to the file, and the waits they need: a kernel
 * waits until its operands have been read, and memory that was freed by an offload is reused only
 * after the write has ended.
 */
public final class BoundTransfers implements AutoCloseable {
    private final Layout layout;
    private final Table<Value, OffloadFile.Block> blocks = new Table<>();
    private final Map<Value, OffloadFile.Transfer> arriving = new HashMap<>();
    private final Map<Value, OffloadFile.Transfer> leaving = new HashMap<>();
    private final Table<Value, CheckpointStore> states = new Table<>();
    private final List<OffloadFile.Transfer> due = new ArrayList<>();
    private final Optional<OffloadFile> shelf;

    /** For a schedule without transfers. */
    public BoundTransfers(Layout layout) {
        this.layout = layout;
        shelf = Optional.empty();
    }

    public BoundTransfers(Layout layout, Session session, BackingStore backing) {
        this.layout = layout;
        var folder = layout.schedule().problem().disk().folder().toString();
        shelf = Optional.of(new OffloadFile(backing, session.queue(), folder));
    }

    private OffloadFile shelf() {
        return shelf.orElseThrow(() -> new IllegalStateException("a schedule without a disk"));
    }

    /** The place of {@code v} on the disk; a state and its next version share one. */
    private OffloadFile.Block block(Value v) {
        return blocks.find(v)
                .orElseGet(
                        () -> {
                            long offset = layout.shelves().offsets().at(v);
                            var made =
                                    new OffloadFile.Block(v.toString(), offset, v.type().bytes());
                            for (var pair : layout.shelves().versions().entrySet()) {
                                if (pair.getKey().equals(v) || pair.getValue().equals(v)) {
                                    blocks.put(pair.getKey(), made);
                                    blocks.put(pair.getValue(), made);
                                }
                            }
                            blocks.put(v, made);
                            return made;
                        });
    }

    /** Where a loop puts states that do not lie in its memory, and its reverse finds them. */
    public CheckpointStore states(Node node, Session session) {
        // a loop that may put states there need not: where all its rounds are on tape it has none
        var found = LoopStates.of(node).filter(s -> s.bytes() > 0);
        if (found.isEmpty()) return CheckpointStore.NONE;
        var loop = found.get();
        return states.find(loop.key())
                .orElseGet(
                        () -> {
                            long offset = layout.shelves().loops().at(loop.key());
                            var made =
                                    new DiskCheckpoints(
                                            session,
                                            shelf(),
                                            node.op().name(),
                                            offset,
                                            loop.room());
                            states.put(loop.key(), made);
                            return made;
                        });
    }

    public Runnable offload(Value v, Buffer from) {
        var transfer = shelf().new Transfer(block(v), from.memory(), true);
        leaving.put(v, transfer);
        return after(arrived(List.of(v)), transfer::start);
    }

    public Runnable fetch(Value v, Buffer to) {
        var transfer = shelf().new Transfer(block(v), to.memory(), false);
        arriving.put(v, transfer);
        return after(taken(), transfer::start);
    }

    /** The memory of {@code v} is given back: whoever runs next waits until it is free. */
    public void freed(Value v) {
        due.addAll(arrived(List.of(v)));
        written(v).ifPresent(due::add);
    }

    /** {@code body}, once what it reads has arrived and what it writes over has been written. */
    public Runnable after(Step.Work work, Runnable body) {
        var waits = arrived(work.node().inputs());
        for (var reuse : work.reuses()) written(reuse.from()).ifPresent(waits::add);
        waits.addAll(taken());
        return after(waits, body);
    }

    private List<OffloadFile.Transfer> taken() {
        var waits = new ArrayList<>(due);
        due.clear();
        return waits;
    }

    private List<OffloadFile.Transfer> arrived(List<Value> values) {
        var waits = new ArrayList<OffloadFile.Transfer>();
        for (Value v : values) {
            var transfer = arriving.remove(v);
            if (transfer != null) waits.add(transfer);
        }
        return waits;
    }

    private Optional<OffloadFile.Transfer> written(Value v) {
        return Optional.ofNullable(leaving.remove(v));
    }

    private static Runnable after(List<OffloadFile.Transfer> waits, Runnable body) {
        if (waits.isEmpty()) return body;
        return () -> {
            for (var transfer : waits) transfer.await();
            body.run();
        };
    }

    /** What nobody has waited for when the last step has been bound. */
    public Runnable end() {
        var waits = taken();
        waits.addAll(arriving.values());
        waits.addAll(leaving.values());
        return after(waits, () -> {});
    }

    /** A run begins, unless it needs the disk and its thread is interrupted. */
    public void begin() {
        if (shelf.isPresent()) OffloadFile.heed();
    }

    /** A run has failed: lets what is under way come to an end. */
    public void settle() {
        shelf.ifPresent(OffloadFile::idle);
    }

    /**
     * Brings {@code v}, which no run changes, back from the disk after a run has failed, if it has
     * ever been put there: its memory may hold something else by now.
     */
    public void recover(Value v, Memory to) {
        if (blocks.find(v).filter(OffloadFile.Block::written).isPresent()) move(v, to, false);
    }

    /** Puts {@code v} on the disk now. */
    public void put(Value v, MemorySegment from) {
        move(v, Memory.of(from), true);
    }

    /** Copies {@code v} from the disk now. */
    public void get(Value v, MemorySegment to) {
        move(v, Memory.of(to), false);
    }

    private void move(Value v, Memory memory, boolean out) {
        var transfer = shelf().new Transfer(block(v), memory, out);
        transfer.start();
        transfer.finish();
    }

    /** The highest byte of the disk that has been written. */
    public long highest() {
        return shelf.map(OffloadFile::highest).orElse(0L);
    }

    @Override
    public void close() {
        shelf.ifPresent(OffloadFile::close);
    }
}
