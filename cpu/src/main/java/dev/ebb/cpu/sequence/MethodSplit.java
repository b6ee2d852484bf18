package dev.ebb.cpu.sequence;

import dev.ebb.exec.Sequence;
import dev.ebb.ir.Value;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Splits a sequence into methods that the JIT compilers can handle. They compile no method of more
 * than 8,000 bytes. And C1 recurses once for every consecutive branch, on a stack of one megabyte
 * that a few thousand branches overflow, which ends the process: each memory access is inlined as
 * about twenty branches, each function as some more.
 */
final class MethodSplit {
    /** The largest size of a part, by {@link UnrollLimits#bytes}. */
    private static final int MOST_BYTES = 5000;

    /** The most elements that a part of several computations reads from memory and writes. */
    private static final int MOST_TOGETHER = 48;

    /** The most that one computation reads and writes: a fold of 64 elements, and its results. */
    static final int MOST_ACCESSES = 80;

    private final List<List<Integer>> parts = new ArrayList<>();
    private Set<Value> held = new HashSet<>();
    private int bytes;
    private long accesses;

    private MethodSplit() {
        parts.add(new ArrayList<>());
    }

    static List<List<Integer>> of(Sequence sequence, int arguments, boolean arrays) {
        var cut = new MethodSplit();
        for (Value v : SequenceParts.argumentsInMemory(sequence, arguments)) cut.touch(v);
        for (int i = 0; i < sequence.works().size(); i++) cut.add(i, sequence.works().get(i));
        if (arrays) cut.results(sequence);
        return cut.parts;
    }

    private void add(int number, Sequence.Work work) {
        int more = Math.max(8, UnrollLimits.bytes(work));
        boolean called = SequenceParts.isCalled(work);
        long touched = called ? 1 : UnrollLimits.accesses(work, held);
        if (bytes + more > MOST_BYTES || accesses + touched > MOST_TOGETHER) {
            next();
            touched = called ? 1 : UnrollLimits.accesses(work, held);
        }
        parts.getLast().add(number);
        bytes += more;
        accesses += touched;
        if (called) {
            work.node().outputs().forEach(held::remove);
        } else {
            held.addAll(work.node().inputs());
            held.addAll(work.node().outputs());
        }
    }

    private void results(Sequence sequence) {
        long read = 0;
        for (var r : sequence.results())
            if (!held.contains(r.value())) read += r.value().type().size();
        if (accesses + read > MOST_TOGETHER) next();
    }

    private void touch(Value value) {
        accesses += value.type().size();
    }

    private void next() {
        if (bytes == 0 && accesses == 0) return;
        parts.add(new ArrayList<>());
        held = new HashSet<>();
        bytes = 0;
        accesses = 0;
    }
}
