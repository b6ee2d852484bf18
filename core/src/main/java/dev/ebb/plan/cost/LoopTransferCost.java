package dev.ebb.plan.cost;

import dev.ebb.ir.Node;
import dev.ebb.plan.schedule.Cost;
import dev.ebb.plan.schedule.Disk;
import dev.ebb.plan.schedule.LoopStates;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The cost of kernels by another model, plus the time that a loop waits while its checkpoints are
 * written to the disk and read back.
 */
public final class LoopTransferCost implements Cost {
    private final Cost kernels;
    private final Disk disk;
    private final Map<Key, Double> known = new ConcurrentHashMap<>();

    private record Key(LoopStates loop, double kernels) {}

    public LoopTransferCost(Cost kernels, Disk disk) {
        this.kernels = kernels;
        this.disk = disk;
    }

    @Override
    public double of(Node node) {
        double own = kernels.of(node);
        return own
                + LoopStates.of(node)
                        .map(loop -> known.computeIfAbsent(new Key(loop, own), this::waiting))
                        .orElse(0.0);
    }

    /** What the kernel costs alone. */
    public double kernels(Node node) {
        return kernels.of(node);
    }

    private double waiting(Key key) {
        return key.loop.seconds(disk, key.kernels);
    }
}
