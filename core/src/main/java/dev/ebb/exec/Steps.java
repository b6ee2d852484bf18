package dev.ebb.exec;

import dev.ebb.ir.Buffer;
import dev.ebb.ir.DType;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Node;
import dev.ebb.ir.Table;
import dev.ebb.ir.Value;
import dev.ebb.plan.Layout;
import dev.ebb.plan.Step;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** The computations of a laid-out schedule, each bound to its place in memory. */
final class Steps {

    /** A computation, its node, and the end of the memory it writes. */
    record Bound(Node node, Runnable body, List<Buffer> outputs, long highest) {}

    private final List<Buffer> params = new ArrayList<>();
    private final List<Buffer> results = new ArrayList<>();
    private final List<Bound> bound = new ArrayList<>();
    private final MemorySegment memory;
    private final Device device;

    /**
     * Binds {@code layout} to {@code memory}; the parameters in {@code elsewhere} lie outside it.
     */
    Steps(Layout layout, Device device, MemorySegment memory, Table<Value, Buffer> elsewhere) {
        this.memory = memory;
        this.device = device;
        var graph = layout.schedule().problem().graph();
        var starts = starts(layout);
        var resident = new Table<Value, Buffer>();
        for (Value p : graph.params()) {
            var buffer =
                    elsewhere.find(p).orElseGet(() -> slice(p, starts.at(new Layout.Stay(p, -1))));
            resident.put(p, buffer);
            params.add(buffer);
        }
        var all = layout.schedule().steps();
        for (int i = 0; i < all.size(); i++) {
            int step = i;
            switch (all.get(i)) {
                case Step.Compute(var node, var reuses) -> {
                    var in = node.inputs().stream().map(resident::at).toList();
                    var out = new ArrayList<Buffer>();
                    for (Value v : node.outputs()) {
                        var over = reuses.stream().filter(r -> r.into().equals(v)).findAny();
                        out.add(
                                over.isPresent()
                                        ? over(resident.at(over.get().from()), v)
                                        : slice(v, starts.at(new Layout.Stay(v, step))));
                    }
                    for (int j = 0; j < out.size(); j++)
                        resident.put(node.outputs().get(j), out.get(j));
                    bound.add(bind(node, in, out));
                }
                case Step.Free _ -> {}
            }
        }
        for (Value r : graph.results()) results.add(resident.at(r));
    }

    private Bound bind(Node node, List<Buffer> in, List<Buffer> out) {
        boolean scratch = Scratch.isIn(node);
        var workspace = scratch ? out.getLast() : new Buffer(DType.U8, 0, memory.asSlice(0, 0));
        var written = scratch ? out.subList(0, out.size() - 1) : out;
        var body =
                node.kernel() instanceof Kernel.Control control
                        ? Controls.bind(control, device, in, written, workspace)
                        : device.bind(node, in, written, workspace);
        long highest = 0;
        for (var b : out)
            highest = Math.max(highest, b.segment().address() - memory.address() + b.bytes());
        return new Bound(node, body, written, highest);
    }

    /** The offset of every stay. */
    private static Table<Layout.Stay, Long> starts(Layout layout) {
        var starts = new Table<Layout.Stay, Long>();
        for (var slot : layout.slots()) {
            for (var stay : slot.stays()) starts.put(stay, slot.offset());
        }
        return starts;
    }

    /** {@code v} in the place of another, which may lie outside. */
    private static Buffer over(Buffer other, Value v) {
        return new Buffer(v.type().dtype(), v.type().size(), other.segment());
    }

    private Buffer slice(Value v, long offset) {
        return new Buffer(
                v.type().dtype(), v.type().size(), memory.asSlice(offset, v.type().bytes()));
    }

    List<Buffer> params() {
        return params;
    }

    List<Buffer> results() {
        return results;
    }

    List<Bound> bound() {
        return bound;
    }

    void run() {
        for (Bound step : bound) step.body.run();
    }
}
