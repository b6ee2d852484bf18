package dev.ebb.plan.cost;

import dev.ebb.ir.Node;
import dev.ebb.plan.schedule.Cost;
import dev.ebb.plan.schedule.LoopStates;
import dev.ebb.plan.schedule.Place;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The cost of kernels by another model, plus the time that a loop waits while its checkpoints are
 * written to a place outside the arena and read back.
 */
public final class LoopTransferCost implements Cost {
    private final Cost kernels;
    private final List<Place> places;
    private final Map<Key, Double> known = new ConcurrentHashMap<>();

    private record Key(LoopStates loop, double kernels) {}

    public LoopTransferCost(Cost kernels, List<Place> places) {
        this.kernels = kernels;
        this.places = List.copyOf(places);
    }

    @Override
    public double of(Node node) {
        double own = kernels.of(node);
        return own
                + LoopStates.of(node)
                        .map(loop -> known.computeIfAbsent(new Key(loop, own), this::waiting))
                        .orElse(0.0);
    }

    /** The cost of the kernel without transfers. */
    public double kernels(Node node) {
        return kernels.of(node);
    }

    private double waiting(Key key) {
        return key.loop.seconds(places.get(key.loop.area().place()), key.kernels);
    }
}
