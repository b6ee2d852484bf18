package dev.ebb.cpu.sequence;

import dev.ebb.exec.Sequence;
import dev.ebb.ir.Value;

import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Finds the stores of a merged loop that are results of the program and are read by nothing else:
 * they may be written directly to the result's array.
 */
final class DirectResults {
    private DirectResults() {}

    /** The indices of these stores, each with the index of its result. */
    static Map<Integer, Integer> of(MergedLoopForm form, Sequence sequence) {
        var found = new TreeMap<Integer, Integer>();
        var read = readOutside(form.numbers(), sequence);
        for (int s = 0; s < form.stores().size(); s++) {
            var value = form.stores().get(s).slot().value();
            int result = result(value, sequence);
            if (result >= 0 && !read.contains(value) && isMadeOnce(value, sequence))
                found.put(s, result);
        }
        return found;
    }

    private static Set<Value> readOutside(Set<Integer> inside, Sequence sequence) {
        var read = new HashSet<Value>();
        for (int i = 0; i < sequence.works().size(); i++)
            if (!inside.contains(i)) read.addAll(sequence.works().get(i).node().inputs());
        return read;
    }

    /** The index of the only result that is this value, or -1. */
    private static int result(Value value, Sequence sequence) {
        int found = -1;
        for (int i = 0; i < sequence.results().size(); i++) {
            if (!sequence.results().get(i).value().equals(value)) continue;
            if (found >= 0) return -1;
            found = i;
        }
        return found;
    }

    private static boolean isMadeOnce(Value value, Sequence sequence) {
        return sequence.works().stream().filter(w -> w.node().outputs().contains(value)).count()
                == 1;
    }
}
