package dev.ebb.cpu;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The generated loops of a device, by body. Generating one takes a millisecond or two and warming
 * up a hundred, so a body gets loops only once many elements have gone through the tiles; until the
 * loop measures faster than they, it does but a taste of each tile.
 */
final class FusedLoops {
    /** Below so many elements a body is not worth a class. */
    private static final long WORTHWHILE = 1 << 21;

    /** The loops of one body, as far as they have come. */
    static final class Entry {
        private final FusedStages stages;
        private final Warming.State state = new Warming.State();
        private long seen;
        private volatile @Nullable List<Fused> loops;

        private Entry(FusedStages stages) {
            this.stages = stages;
        }

        /**
         * Counts elements that are about to be computed, and makes the loops when there have been
         * enough.
         */
        synchronized void expect(long elements) {
            if (loops != null) return;
            seen += elements;
            if (seen >= WORTHWHILE) {
                loops = stages.stages().stream().map(s -> FusedClass.generate(s.form())).toList();
            }
        }

        /** A loop for each stage, once they are worth it. */
        @Nullable List<Fused> loops() {
            return loops;
        }

        FusedStages stages() {
            return stages;
        }

        Warming.State state() {
            return state;
        }
    }

    /** The loop of one body over rows, as far as it has come. */
    static final class RowEntry {
        private final RowForm form;
        private final Warming.State state = new Warming.State();
        private long seen;
        private volatile @Nullable FusedRows loop;

        private RowEntry(RowForm form) {
            this.form = form;
        }

        /** Counts elements that are about to be computed, and makes the loop in time. */
        synchronized void expect(long elements) {
            if (loop != null) return;
            seen += elements;
            if (seen >= WORTHWHILE) loop = FusedClass.generate(form);
        }

        /** The loop, once it is worth it. */
        @Nullable FusedRows loop() {
            return loop;
        }

        Warming.State state() {
            return state;
        }
    }

    private final Map<FusedStages, Entry> entries = new ConcurrentHashMap<>();
    private final Map<RowForm, RowEntry> rows = new ConcurrentHashMap<>();

    Entry of(FusedStages stages) {
        return entries.computeIfAbsent(stages, Entry::new);
    }

    RowEntry of(RowForm form) {
        return rows.computeIfAbsent(form, RowEntry::new);
    }
}
