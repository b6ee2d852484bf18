package dev.ebb;

import dev.ebb.exec.Device;
import dev.ebb.exec.DeviceProvider;
import dev.ebb.exec.reference.Reference;
import dev.ebb.loop.ProgramPlanner;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.stream.Collectors;

/** The devices of this machine: found, listed and chosen by name. */
public final class Devices {
    private Devices() {}

    /**
     * A kind of device whose provider is on the module or class path, and the result of looking for
     * such a device on this machine.
     *
     * @param name such as {@code cpu}
     */
    public record Kind(String name, DeviceProvider.Found found) {

        /** The device, if there is one that works. */
        public Optional<Device> device() {
            return switch (found) {
                case DeviceProvider.Here here -> Optional.of(here.device());
                case DeviceProvider.Missing _ -> Optional.empty();
            };
        }
    }

    /**
     * The fastest device that works; if there is no other, the Reference device, with a warning.
     */
    public static Device best() {
        return Best.DEVICE;
    }

    /** Plans for {@link #best} in unlimited memory. */
    static ProgramPlanner planner() {
        return ProgramPlanner.on(best(), EventRecorder.recorder());
    }

    /** All kinds on the module or class path, the fastest first, whether they work here or not. */
    public static List<Kind> all() {
        return All.KINDS;
    }

    /**
     * The device of this kind.
     *
     * @throws IllegalArgumentException if there is none, with what is missing
     */
    public static Device named(String name) {
        for (var kind : all()) {
            if (!kind.name().equals(name)) continue;
            switch (kind.found()) {
                case DeviceProvider.Here here -> {
                    return here.device();
                }
                case DeviceProvider.Missing missing ->
                        throw new IllegalArgumentException(
                                "no device '" + name + "': " + missing.reason());
            }
        }
        throw new IllegalArgumentException(
                "no device is called '%s'; there are: %s"
                        .formatted(
                                name,
                                all().stream().map(Kind::name).collect(Collectors.joining(", "))));
    }

    /** The slow device that defines the semantics of every kernel. */
    public static Device reference() {
        return new Reference();
    }

    private static final class All {
        static final List<Kind> KINDS = find();

        private static List<Kind> find() {
            var providers = new ArrayList<DeviceProvider>();
            ServiceLoader.load(DeviceProvider.class, DeviceProvider.class.getClassLoader())
                    .forEach(providers::add);
            providers.sort(
                    Comparator.comparingInt(DeviceProvider::rank)
                            .reversed()
                            .thenComparing(DeviceProvider::name));
            return providers.stream().map(p -> new Kind(p.name(), p.find())).toList();
        }
    }

    private static final class Best {
        static final Device DEVICE = find();

        private static Device find() {
            var found = all().stream().flatMap(kind -> kind.device().stream()).findFirst();
            if (found.isPresent()) return found.get();
            System.getLogger("dev.ebb")
                    .log(
                            System.Logger.Level.WARNING,
                            "no fast device found: running on the slow Reference device; add"
                                    + " ebb-cpu to the class path");
            return new Reference();
        }
    }
}
