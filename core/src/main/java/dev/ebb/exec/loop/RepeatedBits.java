package dev.ebb.exec.loop;

import dev.ebb.exec.Digest;
import dev.ebb.exec.DigestException;
import dev.ebb.exec.Queue;
import dev.ebb.ir.Buffer;
import dev.ebb.ir.Control;
import dev.ebb.ir.Op;
import dev.ebb.ir.Trait;
import dev.ebb.ir.Type;

import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/**
 * Checks that ops inside loops and branches are deterministic: an op that runs again on the same
 * bits must give the same bits. An iteration that is run again starts from the carries of its first
 * run, so the first op in it that differs is found, in whichever of the loop's bodies it runs. Uses
 * a few words of heap for every computation in a loop.
 */
public final class RepeatedBits {
    /** The check of the program that runs on this thread, if it is checked. */
    public static final ScopedValue<RepeatedBits> WATCHED = ScopedValue.newInstance();

    private record Key(Op op, List<Type> types) {}

    private record Call(int key, long inputs) {}

    private final Queue queue;
    private final Map<Key, Integer> keys = new HashMap<>();
    private final Map<BoundSteps.Bound, Integer> numbers = new IdentityHashMap<>();
    private final Map<Call, Long> first = new HashMap<>();

    public RepeatedBits(Queue queue) {
        this.queue = queue;
    }

    private long digest(List<Buffer> buffers) {
        long all = 0;
        for (var b : buffers) all = 31 * all + Digest.of(b, queue);
        return all;
    }

    /** Runs the computation {@code bound} and compares its results. */
    void run(BoundSteps.Bound bound) {
        var node = bound.node();
        if (node.kernel() instanceof Control || Trait.once(node.op().traits())) {
            bound.body().run();
            return;
        }
        int key =
                numbers.computeIfAbsent(
                        bound,
                        _ ->
                                keys.computeIfAbsent(
                                        new Key(node.op(), node.inputTypes()), _ -> keys.size()));
        // before it runs, as it may overwrite its inputs
        var call = new Call(key, digest(bound.inputs()));
        bound.body().run();
        long digest = digest(bound.outputs());
        var before = first.putIfAbsent(call, digest);
        if (before != null && before != digest) throw new DigestException(node);
    }
}
