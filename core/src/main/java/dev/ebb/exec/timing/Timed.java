package dev.ebb.exec.timing;

import dev.ebb.exec.Device;
import dev.ebb.ir.Node;
import dev.ebb.plan.cost.Prices;
import dev.ebb.plan.cost.Roofline;
import dev.ebb.plan.schedule.Cost;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The measured cost of kernels on this machine. Each distinct kernel is timed once, when it is
 * first asked for; with a file, once across processes. A kernel that cannot be timed is estimated
 * by a roofline of measured rates. To get the same plan everywhere, pass {@link #prices} on, or
 * plan with a fixed cost.
 *
 * <p>The file carries the machine's signature. A damaged file, or one from another machine, is
 * logged, ignored and rewritten.
 */
public final class Timed implements Cost {
    private final KernelTimer timer;
    private final String machine;
    private final Optional<Path> file;
    private final Roofline otherwise;
    private final Map<String, Double> seconds = new TreeMap<>();
    private final Map<String, Double> fleeting = new HashMap<>();
    private final Map<Node, Double> known = new HashMap<>();
    private int timings;

    Timed(Device device, Optional<Path> file, KernelTimer timer) {
        this.file = file;
        this.timer = timer;
        machine = Calibration.machine(device);
        var found = file.flatMap(this::read);
        found.ifPresent(p -> seconds.putAll(p.seconds()));
        otherwise = found.map(Prices::otherwise).orElseGet(() -> Calibration.roofline(timer));
    }

    /** Times kernels on {@code device}; the times are lost when the process ends. */
    public static Timed on(Device device) {
        return new Timed(device, Optional.empty(), new KernelTimer(device));
    }

    /**
     * Times kernels on {@code device} that are not in {@code file} yet, and stores the times in it.
     */
    public static Timed on(Device device, Path file) {
        return new Timed(device, Optional.of(file), new KernelTimer(device));
    }

    @Override
    public synchronized double of(Node node) {
        return known.computeIfAbsent(node, this::find);
    }

    private double find(Node node) {
        var key = Prices.key(node);
        var old =
                Optional.ofNullable(seconds.get(key))
                        .or(() -> Optional.ofNullable(fleeting.get(key)));
        if (old.isPresent()) return old.get();
        if (!KernelTimer.canTime(node)) return otherwise.of(node);
        var measured = timer.seconds(node);
        if (measured.isEmpty()) return otherwise.of(node);
        timings++;
        double found = measured.getAsDouble();
        if (Prices.isLasting(node)) {
            seconds.put(key, found);
            file.ifPresent(this::write);
        } else {
            fleeting.put(key, found);
        }
        return found;
    }

    /** The number of kernels that were timed, not found in the file. */
    public synchronized int timings() {
        return timings;
    }

    /** All times so far, as a fixed list. */
    public synchronized Prices prices() {
        return new Prices(machine, seconds, otherwise);
    }

    private Optional<Prices> read(Path from) {
        if (!Files.exists(from)) return Optional.empty();
        try {
            var prices = Prices.load(from);
            if (prices.machine().equals(machine)) return Optional.of(prices);
            say(
                    from
                            + " holds the times of another machine ("
                            + prices.machine()
                            + "; this is "
                            + machine
                            + "): kernels are timed again and the file is overwritten");
        } catch (IOException e) {
            say(e.getMessage() + "; kernels are timed again and the file is overwritten");
        }
        return Optional.empty();
    }

    private void write(Path to) {
        try {
            new Prices(machine, seconds, otherwise).save(to);
        } catch (IOException e) {
            say("cannot keep the times of kernels in " + to + ": " + e.getMessage());
        }
    }

    private static void say(String text) {
        System.getLogger("dev.ebb").log(System.Logger.Level.WARNING, text);
    }
}
