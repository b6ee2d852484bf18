package dev.ebb.cpu.sequence;

import dev.ebb.exec.Sequence;
import dev.ebb.ir.Value;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A sequence split into parts, each short enough for the JIT compilers. Within a part values are in
 * locals; values that another part or a separate kernel reads are in memory, where the plan put
 * them.
 *
 * @param arguments the number of first parameters that are passed in an array, if {@code arrays}
 * @param arrays whether the results are written to an array
 * @param parts the computations of each part, by number
 * @param stored the values that are written to memory
 */
record SequenceParts(
        Sequence sequence,
        int arguments,
        boolean arrays,
        List<List<Integer>> parts,
        Set<Value> stored) {

    static SequenceParts of(Sequence sequence, int arguments, boolean arrays) {
        var parts = MethodSplit.of(sequence, arguments, arrays);
        return new SequenceParts(
                sequence, arguments, arrays, parts, stored(sequence, arrays, parts));
    }

    private static Set<Value> stored(Sequence sequence, boolean arrays, List<List<Integer>> parts) {
        var stored = new HashSet<Value>();
        for (int p = 0; p < parts.size(); p++) {
            var here = new HashSet<Value>();
            for (int i : parts.get(p)) {
                var work = sequence.works().get(i);
                boolean called = isCalled(work);
                for (Value v : work.node().inputs()) if (called || !here.contains(v)) stored.add(v);
                if (!called) here.addAll(work.node().outputs());
                else work.node().outputs().forEach(here::remove);
            }
            if (arrays && p == parts.size() - 1)
                for (var r : sequence.results())
                    if (!here.contains(r.value())) stored.add(r.value());
        }
        if (!arrays) for (var r : sequence.results()) stored.add(r.value());
        return stored;
    }

    static boolean isCalled(Sequence.Work work) {
        return UnrollLimits.bytes(work) < 0;
    }

    /** The offset of each argument in the array of arguments. */
    Map<Value, Integer> argumentStarts() {
        var starts = new HashMap<Value, Integer>();
        int at = 0;
        for (int i = 0; i < arguments; i++) {
            var v = sequence.params().get(i).value();
            starts.put(v, at);
            at += Math.toIntExact(v.type().size());
        }
        return starts;
    }

    /** The arguments that a separate kernel reads: these are copied to memory. */
    Set<Value> argumentsInMemory() {
        return argumentsInMemory(sequence, arguments);
    }

    static Set<Value> argumentsInMemory(Sequence sequence, int arguments) {
        var called = new HashSet<Value>();
        for (var work : sequence.works()) if (isCalled(work)) called.addAll(work.node().inputs());
        var found = new HashSet<Value>();
        for (var p : sequence.params().subList(0, arguments))
            if (called.contains(p.value())) found.add(p.value());
        return found;
    }
}
