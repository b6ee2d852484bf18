package dev.ebb.plan;

import dev.ebb.plan.schedule.Place;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;

/**
 * The most memory that a program may use: parameters, inputs, activations, gradients and workspace
 * together.
 */
public sealed interface Budget {

    /** An exact bound. */
    record Bytes(long bytes) implements Budget {
        public Bytes {
            if (bytes <= 0) {
                throw new IllegalArgumentException(
                        "a budget must be positive, not " + bytes + " bytes");
            }
        }

        @Override
        public long resolve(long storeAllBytes) {
            return bytes;
        }
    }

    /** A share of the peak of keeping everything. */
    record Share(double share) implements Budget {
        public Share {
            if (!(share > 0 && share <= 1)) {
                throw new IllegalArgumentException(
                        "a share of the store-all memory lies in (0, 1], not " + share);
            }
        }

        @Override
        public long resolve(long storeAllBytes) {
            return Math.max(1, (long) (storeAllBytes * share));
        }
    }

    /**
     * A share of the bytes that an eager framework would save for its backward pass: those that the
     * forward half computes and the backward half reads. It limits what is kept from one to the
     * other, not the peak, since recomputed values also take memory; the plan still promises its
     * peak. Known from PyTorch's activation memory budget. States and tapes of loops count as
     * saved. Places of such a budget are not used.
     */
    record OfSaved(double share) implements Budget {
        public OfSaved {
            if (!(share >= 0 && share <= 1)) {
                throw new IllegalArgumentException(
                        "a share of the saved activations lies in [0, 1], not " + share);
            }
        }

        /** No limit. */
        @Override
        public long resolve(long storeAllBytes) {
            return Long.MAX_VALUE;
        }
    }

    /** A bound on memory, and places outside the arena for what does not fit, the nearest first. */
    record WithPlaces(Budget memory, List<Place> places) implements Budget {
        public WithPlaces {
            places = List.copyOf(places);
            if (memory instanceof WithPlaces || new HashSet<>(places).size() < places.size())
                throw new IllegalArgumentException(
                        "a budget names each place once, with its capacity, not "
                                + places.stream().map(Place::name).toList());
        }

        @Override
        public long resolve(long storeAllBytes) {
            return memory.resolve(storeAllBytes);
        }

        @Override
        public Budget resolved(long storeAllBytes) {
            return new WithPlaces(memory.resolved(storeAllBytes), places);
        }

        @Override
        public Budget holding(long bytes) {
            return new WithPlaces(new Bytes(bytes), places);
        }
    }

    /**
     * This budget with one more place to offload values to, after those already named: {@code
     * Budget.mebibytes(64).with(Host.memory(1L << 30)).with( Disk.in(folder, 8L << 30))}.
     */
    default Budget with(Place place) {
        var all = new ArrayList<>(places());
        all.add(place);
        return new WithPlaces(memory(), all);
    }

    /** The places outside the arena, if there are any. */
    default List<Place> places() {
        return List.of();
    }

    /** The limit on memory, without the places. */
    default Budget memory() {
        return this;
    }

    /** The same budget with its bound on memory in bytes. */
    default Budget resolved(long storeAllBytes) {
        return new Bytes(resolve(storeAllBytes));
    }

    /** The same budget with a bound of {@code bytes} on memory. */
    default Budget holding(long bytes) {
        return new Bytes(bytes);
    }

    /**
     * The bound in bytes for a program that takes {@code storeAllBytes} when nothing is recomputed.
     */
    long resolve(long storeAllBytes);

    /**
     * Parses a budget: {@code "64MiB"}, {@code "1.5GiB"}, {@code "1073741824"}, {@code "80%"} of
     * keeping everything, {@code "free"} for nine tenths of the machine's free memory.
     */
    static Budget of(String text) {
        return BudgetParser.parse(text);
    }

    static Budget bytes(long bytes) {
        return new Bytes(bytes);
    }

    static Budget kibibytes(long n) {
        return new Bytes(scaled(n, 10));
    }

    static Budget mebibytes(long n) {
        return new Bytes(scaled(n, 20));
    }

    static Budget gibibytes(long n) {
        return new Bytes(scaled(n, 30));
    }

    static Budget share(double share) {
        return new Share(share);
    }

    /** See {@link OfSaved}: 0 recomputes everything, 1 keeps what an eager framework would. */
    static Budget ofSaved(double share) {
        return new OfSaved(share);
    }

    /** Nine tenths of the machine's free memory. */
    static Budget free() {
        return new Bytes(Math.max(1, FreeMemory.bytes() / 10 * 9));
    }

    static Budget unlimited() {
        return new Bytes(Long.MAX_VALUE);
    }

    /** A number of bytes as text: exact, and also rounded to a binary unit if it is large. */
    static String show(long bytes) {
        if (bytes < 1 << 10) return bytes + " bytes";
        String[] units = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
        int unit = (63 - Long.numberOfLeadingZeros(bytes)) / 10 - 1;
        return String.format(
                Locale.ROOT,
                "%d bytes (%.1f %s)",
                bytes,
                bytes / Math.pow(1024, unit + 1),
                units[unit]);
    }

    private static long scaled(long n, int shift) {
        if (n > Long.MAX_VALUE >> shift) {
            throw new IllegalArgumentException(
                    "a budget of " + n + " * 2^" + shift + " bytes overflows a long");
        }
        return n << shift;
    }
}
