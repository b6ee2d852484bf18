package dev.ebb.cpu.sequence;

import dev.ebb.exec.CompiledSequence;
import dev.ebb.exec.Sequence;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * A sequence as merged loops and single computations, one after the other. A merged loop can write
 * a value that is only a result directly to a given array.
 */
final class MergedSteps implements CompiledSequence {
    /** A store of a merged loop, and the index of the result that it writes. */
    private record Delivery(MergedLoopRun merged, int store, int result) {}

    private final Runnable[] steps;
    private final Supplier<List<Runnable>> inPlace;
    private final List<Delivery> deliveries = new ArrayList<>();
    private final Set<Integer> delivered = new HashSet<>();

    /** The steps that write all results to their planned memory, made when first asked for. */
    private Optional<Runnable[]> made = Optional.empty();

    /**
     * @param steps the steps that write results directly to given arrays
     * @param inPlace makes the steps that write all results to their planned memory
     */
    MergedSteps(List<Runnable> steps, Sequence sequence, Supplier<List<Runnable>> inPlace) {
        this.steps = steps.toArray(Runnable[]::new);
        this.inPlace = inPlace;
        for (var step : steps) {
            if (!(step instanceof MergedLoopRun merged)) continue;
            DirectResults.of(merged.form(), sequence)
                    .forEach((s, result) -> deliveries.add(new Delivery(merged, s, result)));
        }
        for (var d : deliveries) delivered.add(d.result);
    }

    @Override
    public Set<Integer> delivered() {
        return delivered;
    }

    @Override
    public void run() {
        if (made.isEmpty()) made = Optional.of(inPlace.get().toArray(Runnable[]::new));
        for (var step : made.get()) step.run();
    }

    @Override
    public void run(List<MemorySegment> to) {
        for (var d : deliveries) d.merged.write(d.store, to.get(d.result));
        try {
            for (var step : steps) step.run();
        } finally {
            for (var d : deliveries) d.merged.writeBack(d.store);
        }
    }
}
