package dev.ebb.exec;

import dev.ebb.ir.Buffer;
import dev.ebb.ir.Memory;
import dev.ebb.ir.Node;
import dev.ebb.ir.Table;
import dev.ebb.ir.Value;
import dev.ebb.plan.Layout;
import dev.ebb.plan.LoopStates;
import dev.ebb.plan.Step;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Binds transfers to the disk, and finds out who must wait for them: a kernel for what it reads to
 * arrive, and whoever comes after memory was given back for what lay in it to be written.
 */
final class Carrier implements AutoCloseable {
    private final Layout layout;
    private final Table<Value, Shelf.Block> blocks = new Table<>();
    private final Map<Value, Shelf.Transfer> arriving = new HashMap<>();
    private final Map<Value, Shelf.Transfer> leaving = new HashMap<>();
    private final Table<Value, Store> states = new Table<>();
    private final List<Shelf.Transfer> due = new ArrayList<>();
    private final Optional<Shelf> shelf;

    /** For a schedule without transfers. */
    Carrier(Layout layout) {
        this.layout = layout;
        shelf = Optional.empty();
    }

    Carrier(Layout layout, Session session, Backing backing) {
        this.layout = layout;
        var folder = layout.schedule().problem().disk().folder().toString();
        int transfers =
                Math.toIntExact(
                        layout.schedule().steps().stream()
                                .filter(s -> s instanceof Step.Offload || s instanceof Step.Fetch)
                                .count());
        shelf = Optional.of(new Shelf(backing, session.queue(), folder, transfers));
    }

    private Shelf shelf() {
        return shelf.orElseThrow(() -> new IllegalStateException("a schedule without a disk"));
    }

    /** The place of {@code v} on the disk; a state and its next version share one. */
    private Shelf.Block block(Value v) {
        return blocks.find(v)
                .orElseGet(
                        () -> {
                            long offset = layout.shelves().offsets().at(v);
                            var made = new Shelf.Block(v.toString(), offset, v.type().bytes());
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
    Store states(Node node, Session session) {
        var found = LoopStates.of(node);
        if (found.isEmpty()) return Store.NONE;
        var loop = found.get();
        return states.find(loop.key())
                .orElseGet(
                        () -> {
                            long offset = layout.shelves().loops().at(loop.key());
                            var made =
                                    new Shelved(
                                            session,
                                            shelf(),
                                            node.op().name(),
                                            offset,
                                            loop.room());
                            states.put(loop.key(), made);
                            return made;
                        });
    }

    Runnable offload(Value v, Buffer from) {
        var transfer = shelf().new Transfer(block(v), from.memory(), true);
        leaving.put(v, transfer);
        return after(arrived(List.of(v)), transfer::start);
    }

    Runnable fetch(Value v, Buffer to) {
        var transfer = shelf().new Transfer(block(v), to.memory(), false);
        arriving.put(v, transfer);
        return after(taken(), transfer::start);
    }

    /** The memory of {@code v} is given back: whoever runs next waits until it is free. */
    void freed(Value v) {
        due.addAll(arrived(List.of(v)));
        written(v).ifPresent(due::add);
    }

    /** {@code body}, once what it reads has arrived and what it writes over has been written. */
    Runnable after(Step.Work work, Runnable body) {
        var waits = arrived(work.node().inputs());
        for (var reuse : work.reuses()) written(reuse.from()).ifPresent(waits::add);
        waits.addAll(taken());
        return after(waits, body);
    }

    private List<Shelf.Transfer> taken() {
        var waits = new ArrayList<>(due);
        due.clear();
        return waits;
    }

    private List<Shelf.Transfer> arrived(List<Value> values) {
        var waits = new ArrayList<Shelf.Transfer>();
        for (Value v : values) {
            var transfer = arriving.remove(v);
            if (transfer != null) waits.add(transfer);
        }
        return waits;
    }

    private Optional<Shelf.Transfer> written(Value v) {
        return Optional.ofNullable(leaving.remove(v));
    }

    private static Runnable after(List<Shelf.Transfer> waits, Runnable body) {
        if (waits.isEmpty()) return body;
        return () -> {
            for (var transfer : waits) transfer.await();
            body.run();
        };
    }

    /** What nobody has waited for when the last step has been bound. */
    Runnable end() {
        var waits = taken();
        waits.addAll(arriving.values());
        waits.addAll(leaving.values());
        return after(waits, () -> {});
    }

    /** A run has failed: lets what is under way come to an end. */
    void settle() {
        shelf.ifPresent(Shelf::idle);
    }

    /** Puts {@code v} on the disk now. */
    void put(Value v, MemorySegment from) {
        move(v, from, true);
    }

    /** Copies {@code v} from the disk now. */
    void get(Value v, MemorySegment to) {
        move(v, to, false);
    }

    private void move(Value v, MemorySegment memory, boolean out) {
        var transfer = shelf().new Transfer(block(v), Memory.of(memory), out);
        transfer.start();
        transfer.await();
    }

    /** The highest byte of the disk that has been written. */
    long highest() {
        return shelf.map(Shelf::highest).orElse(0L);
    }

    @Override
    public void close() {
        shelf.ifPresent(Shelf::close);
    }
}
