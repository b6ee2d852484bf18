package dev.ebb.cpu.code;

import dev.ebb.cpu.tile.Warming;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The generated loops of a device, by body. Generating a loop and compiling it takes much longer
 * than one run of a kernel, so a body gets a loop only once many elements have gone through the
 * tiles; until the loop measures faster than the tiles, it computes only a small sample of each.
 */
public final class FusedLoops {
    /** Below this number of elements a body is not worth generating a class. */
    private static final long WORTHWHILE = 1 << 21;

    private final long worthwhile;
    private final boolean trusting;

    public FusedLoops() {
        this(WORTHWHILE, false);
    }

    private FusedLoops(long worthwhile, boolean trusting) {
        this.worthwhile = worthwhile;
        this.trusting = trusting;
    }

    /** Loops that are made at once and do all from the first: to see that no bit hangs on it. */
    public static FusedLoops eager() {
        return new FusedLoops(0, true);
    }

    /** Loops that are made at once, and do all once they are faster. */
    public static FusedLoops early() {
        return new FusedLoops(0, false);
    }

    private Warming.State state() {
        var state = new Warming.State();
        if (trusting) state.trust();
        return state;
    }

    /** The loops of one body, as far as they have come. */
    public final class Entry {
        private final FusedStages stages;
        private final Warming.State state = FusedLoops.this.state();
        private long seen;
        private volatile @Nullable List<Fused> loops;

        private Entry(FusedStages stages) {
            this.stages = stages;
        }

        /**
         * Counts elements that are about to be computed, and makes the loops when there have been
         * enough.
         */
        public synchronized void expect(long elements) {
            if (loops != null) return;
            seen += elements;
            if (seen >= worthwhile) {
                loops = stages.stages().stream().map(s -> FusedClass.generate(s.form())).toList();
            }
        }

        /** A loop for each stage, once they are worth it. */
        @Nullable
        public List<Fused> loops() {
            return loops;
        }

        public FusedStages stages() {
            return stages;
        }

        public Warming.State state() {
            return state;
        }
    }

    /** The loop of one body over rows, as far as it has come. */
    public final class RowEntry {
        private final RowForm form;
        private final Warming.State state = FusedLoops.this.state();
        private long seen;
        private volatile @Nullable FusedRows loop;

        private RowEntry(RowForm form) {
            this.form = form;
        }

        /** Counts elements that are about to be computed, and makes the loop in time. */
        public synchronized void expect(long elements) {
            if (loop != null) return;
            seen += elements;
            if (seen >= worthwhile) loop = FusedClass.generate(form);
        }

        /** The loop, once it is worth it. */
        @Nullable
        public FusedRows loop() {
            return loop;
        }

        public Warming.State state() {
            return state;
        }
    }

    private final Map<FusedStages, Entry> entries = new ConcurrentHashMap<>();
    private final Map<RowForm, RowEntry> rows = new ConcurrentHashMap<>();

    public Entry of(FusedStages stages) {
        return entries.computeIfAbsent(stages, s -> new Entry(s));
    }

    public RowEntry of(RowForm form) {
        return rows.computeIfAbsent(form, f -> new RowEntry(f));
    }
}
