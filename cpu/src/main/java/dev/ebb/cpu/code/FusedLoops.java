package dev.ebb.cpu.code;

import dev.ebb.cpu.tile.WarmupStep;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The generated loops of a device, by body. Generating and compiling a loop takes much longer than
 * one run of a kernel, so a loop is generated only after many elements of a body were computed by
 * tiles. From then on the loop computes a small sample of each tile, until it is measured to be
 * faster than the tiles.
 */
public final class FusedLoops {
    /** Loops are generated after this many elements. */
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

    /**
     * Loops that are generated at once and compute everything from the start; for tests that no bit
     * depends on the choice.
     */
    public static FusedLoops eager() {
        return new FusedLoops(0, true);
    }

    /** Loops that are generated at once, and compute everything as soon as they are faster. */
    public static FusedLoops early() {
        return new FusedLoops(0, false);
    }

    private WarmupStep.State state() {
        var state = new WarmupStep.State();
        if (trusting) state.trust();
        return state;
    }

    /** The state of the loops of one body. */
    public final class Entry {
        private final FusedStages stages;
        private final WarmupStep.State state = FusedLoops.this.state();
        private long seen;
        private volatile @Nullable List<Fused> loops;

        private Entry(FusedStages stages) {
            this.stages = stages;
        }

        /**
         * Counts elements that are about to be computed, and generates the loops after enough of
         * them.
         */
        public synchronized void expect(long elements) {
            if (loops != null) return;
            seen += elements;
            if (seen >= worthwhile) {
                loops = stages.stages().stream().map(s -> FusedClass.generate(s.form())).toList();
            }
        }

        /** A loop for each stage; null before they are generated. */
        @Nullable
        public List<Fused> loops() {
            return loops;
        }

        public FusedStages stages() {
            return stages;
        }

        public WarmupStep.State state() {
            return state;
        }
    }

    /** The state of the loop of one body over rows. */
    public final class RowEntry {
        private final RowForm form;
        private final WarmupStep.State state = FusedLoops.this.state();
        private long seen;
        private volatile @Nullable FusedRows loop;

        private RowEntry(RowForm form) {
            this.form = form;
        }

        /**
         * Counts elements that are about to be computed, and generates the loop after enough of
         * them.
         */
        public synchronized void expect(long elements) {
            if (loop != null) return;
            seen += elements;
            if (seen >= worthwhile) loop = FusedClass.generate(form);
        }

        /** The loop; null before it is generated. */
        @Nullable
        public FusedRows loop() {
            return loop;
        }

        public WarmupStep.State state() {
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
