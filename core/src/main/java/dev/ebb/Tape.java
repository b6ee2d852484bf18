package dev.ebb;

import dev.ebb.exec.Device;
import dev.ebb.exec.Report;
import dev.ebb.exec.tape.Replayer;
import dev.ebb.grad.Cotangents;
import dev.ebb.grad.Reverse;
import dev.ebb.ir.Buffer;
import dev.ebb.ir.Control;
import dev.ebb.ir.Fill;
import dev.ebb.ir.Graph;
import dev.ebb.ir.Node;
import dev.ebb.ir.Region;
import dev.ebb.ir.ShapeException;
import dev.ebb.ir.Value;
import dev.ebb.pass.Reversals;
import dev.ebb.plan.Budget;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Recording;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Traced;
import dev.ebb.trace.Tree;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Ordinary Java control flow: ops on a tape's tensors run at once, and the tape records them.
 * {@code if}, {@code while} and recursion on numbers read with {@code item()} are just Java, and
 * the branch that was taken is the branch on the record. What does not fit the budget is dropped
 * and computed again from the record when it is asked for, with the same bits; random draws and
 * effects run once.
 *
 * <pre>{@code
 * try (var tape = new Tape(Budget.mebibytes(64))) {
 *     Tensor w = tape.watch(weights);
 *     Tensor x = w;
 *     while (x.square().sum().item() > 1) x = x.mul(w).sin();
 *     Array g = tape.array(tape.gradient(x.sum(), w));
 * }
 * }</pre>
 *
 * <p>Gradients go onto the same tape, so they can be differentiated again. An op finds the tape by
 * its operands; one without operands, such as {@code Tensors.zeros}, is recorded inside {@link
 * #run}, and elsewhere gives an array that is copied in when it is used. A {@link Loop} on a tape
 * is one op. Its derivative is one op too: it runs the loop again and keeps states of its
 * iterations in the memory that is free within the budget and in half of the memory of values that
 * could be evicted.
 *
 * <p>A budget that is too small is refused when data are read, by {@code item()} or {@link #array},
 * or at last by {@link #close}; ops after the first that does not fit are recorded but not run. The
 * {@link dev.ebb.plan.OverBudgetException} names the least budget in which all that was recorded
 * until then runs, to the byte; what is recorded later may need more.
 *
 * <p>One thread at a time.
 */
public final class Tape implements AutoCloseable {
    private final Graph.Builder graph = new Graph.Builder();
    private final Replayer replayer;
    private final Device device;
    private final Recording recording;
    private int done;

    /** A tape that uses at most {@code budget}, on the fastest device available. */
    public Tape(Budget budget) {
        this(budget, Devices.best());
    }

    public Tape(Budget budget, Device device) {
        this.device = device;
        replayer =
                new Replayer(
                        switch (budget) {
                            case Budget.Bytes(long bytes) -> bytes;
                            case Budget.Share _, Budget.OfSaved _ ->
                                    throw new IllegalArgumentException(
                                            "the total size of the values of a tape is not known in"
                                                    + " advance; give it a budget in bytes, not "
                                                    + budget);
                            case Budget.WithPlaces _ ->
                                    throw new IllegalArgumentException(
                                            "a tape keeps its values in one arena and cannot"
                                                + " offload them; name no places in its budget, or"
                                                + " compile the function");
                        },
                        device,
                        device.cost());
        recording =
                Recording.followed(
                        graph,
                        new Recording.Follower() {
                            @Override
                            public void captured(Array array, Value param) {
                                replayer.take(param, array.data());
                            }

                            @Override
                            public void emitted() {
                                follow();
                            }

                            @Override
                            public Array read(Traced tensor) {
                                return array(tensor);
                            }
                        });
    }

    /** {@code t} copied onto the tape, to compute with and to differentiate by. */
    public Tensor watch(Tensor t) {
        requireOpen("watch");
        return recording.tensor(recording.value(t, "watch"));
    }

    /**
     * {@code tree} with its arrays copied onto the tape, to compute with and to differentiate by.
     */
    public <P> P watch(P tree) {
        return Tree.unflatten(tree, Tree.flatten(tree).stream().map(this::watch).toList());
    }

    /** Runs {@code body} with every op in it on this tape, those without operands too. */
    public <R> R run(Supplier<R> body) {
        requireOpen("run");
        return recording.during(body);
    }

    /** A copy of {@code t} that outlives the tape. */
    public Array array(Tensor t) {
        requireOpen("array");
        return switch (t) {
            case Array array -> array;
            case Traced _ -> {
                var value = recording.value(t, "array");
                yield Array.make(t.type(), to -> replayer.read(value, bytes(to)));
            }
        };
    }

    private static MemorySegment bytes(Buffer buffer) {
        return buffer.segment().asSlice(0, buffer.bytes());
    }

    /** {@code tree} with every tensor copied out of the tape. */
    public <P> P arrays(P tree) {
        return Tree.unflatten(tree, Tree.flatten(tree).stream().map(this::array).toList());
    }

    /** The derivative of {@code loss}, one float, by {@code wrt}, on this tape. */
    public Tensor gradient(Tensor loss, Tensor wrt) {
        return gradient(loss, List.of(wrt)).getFirst();
    }

    /**
     * The derivatives of {@code loss}, one float, by every tensor of {@code wrt}: a tree like it,
     * on this tape. They stay in memory until the tape is closed.
     */
    public <P> P gradient(Tensor loss, P wrt) {
        requireOpen("gradient");
        if (loss.rank() != 0 || !loss.dtype().isFloat()) {
            throw new ShapeException(
                    "gradient needs a loss of one float, this one is "
                            + loss.type()
                            + "; reduce it with sum() or mean()");
        }
        var target = recording.value(loss, "gradient");
        var by = Tree.flatten(wrt).stream().map(t -> recording.value(t, "gradient")).toList();
        var found = backward(target, by).stream().map(recording::tensor).toList();
        return Tree.unflatten(wrt, found);
    }

    private List<Value> backward(Value loss, List<Value> wrt) {
        var active = Reverse.active(relevant(List.copyOf(graph.nodes()), loss), wrt);
        var useful = new HashSet<>(wrt);
        active.forEach(n -> useful.addAll(n.outputs()));
        var adjoints = new Cotangents(graph, useful);
        var region = graph.region();
        try {
            graph.at(Region.TOP, true);
            adjoints.add(loss, graph.emit(new Fill(loss.type(), 1)));
            replayer.backwardAt(loss);
            var carried = new HashMap<Value, Value>();
            carry(List.of(loss), adjoints, carried);
            follow();
            for (Node node : active.reversed()) {
                if (node.outputs().stream().noneMatch(adjoints::reached)) continue;
                replayer.backwardAt(node.outputs().getFirst());
                graph.at(node.region(), true);
                node.op().pullback(node, adjoints);
                carry(node.inputs(), adjoints, carried);
                follow();
                for (Value v : node.outputs()) {
                    var spent = wrt.contains(v) ? null : carried.remove(v);
                    if (spent != null) replayer.hold(spent, false);
                }
            }
            var results = wrt.stream().map(adjoints::of).toList();
            follow();
            results.forEach(replayer::keep);
            return results;
        } finally {
            replayer.backwardEnds();
            graph.at(region, false);
        }
    }

    /** The nodes among {@code nodes} that {@code loss} depends on. */
    private static List<Node> relevant(List<Node> nodes, Value loss) {
        var needed = new HashSet<>(List.of(loss));
        var found = new ArrayList<Node>();
        for (Node node : nodes.reversed()) {
            if (node.outputs().stream().anyMatch(needed::contains)) {
                needed.addAll(node.inputs());
                found.add(node);
            }
        }
        return found.reversed();
    }

    /**
     * Keeps the cotangents of {@code values} so far, in memory until the backward pass has used
     * them.
     */
    private void carry(List<Value> values, Cotangents adjoints, Map<Value, Value> carried) {
        for (Value v : values) {
            adjoints.found(v)
                    .ifPresent(
                            now -> {
                                var before = carried.put(v, now);
                                if (before != null) replayer.hold(before, false);
                                replayer.hold(now, true);
                            });
        }
    }

    /** Runs the nodes recorded since the last call. */
    private void follow() {
        int all = graph.count();
        if (done == all) return;
        var fresh =
                done == all - 1
                        ? List.of(graph.last())
                        : List.copyOf(graph.nodes().subList(done, all));
        done = all;
        for (int i = 0; i < fresh.size(); i++) {
            if (!(replayer.kernel(fresh.get(i)) instanceof Control.Scan)) continue;
            var run = Reversals.alone(fresh, device.fusion());
            replayer.run(run.nodes(), run.later());
            return;
        }
        replayer.run(fresh, Set.of());
    }

    private void requireOpen(String caller) {
        if (!recording.isOpen()) {
            throw new IllegalStateException(caller + ": this tape is closed");
        }
    }

    /** The budget, the peak bytes, and the numbers of ops run and run again. */
    public Report report() {
        return replayer.report();
    }

    @Override
    public void close() {
        if (!recording.isOpen()) return;
        recording.close();
        replayer.close();
    }
}
