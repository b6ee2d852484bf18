package dev.ebb.plan;

import dev.ebb.ir.Node;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What kernels cost, and what it takes their loops to move states to and from a disk: a loop waits
 * for that.
 */
public final class Haulage implements Cost {
    private final Cost kernels;
    private final Disk disk;
    private final Map<LoopStates, Double> known = new ConcurrentHashMap<>();

    public Haulage(Cost kernels, Disk disk) {
        this.kernels = kernels;
        this.disk = disk;
    }

    @Override
    public double of(Node node) {
        double moving =
                LoopStates.of(node)
                        .map(loop -> known.computeIfAbsent(loop, l -> l.seconds(disk)))
                        .orElse(0.0);
        return kernels.of(node) + moving;
    }
}
