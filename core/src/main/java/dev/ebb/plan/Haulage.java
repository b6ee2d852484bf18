package dev.ebb.plan;

import dev.ebb.ir.Node;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** What kernels cost, and how long their loops wait for states on their way to and from a disk. */
public final class Haulage implements Cost {
    private final Cost kernels;
    private final Disk disk;
    private final Map<Key, Double> known = new ConcurrentHashMap<>();

    private record Key(LoopStates loop, double kernels) {}

    public Haulage(Cost kernels, Disk disk) {
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
    double kernels(Node node) {
        return kernels.of(node);
    }

    private double waiting(Key key) {
        return key.loop.seconds(disk, key.kernels);
    }
}
