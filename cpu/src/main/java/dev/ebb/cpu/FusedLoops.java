package dev.ebb.cpu;

import org.jspecify.annotations.Nullable;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The generated loops of a device, one for each form of body. Generating takes a millisecond or two
 * and warming up a hundred, so a form gets a loop only once many elements have gone through the
 * tiles; until the loop measures faster than they, it does but a taste of each tile.
 */
final class FusedLoops {
    /** Below so many elements a body is not worth a class. */
    private static final long WORTHWHILE = 1 << 21;

    /** The loop of one form, as far as it has come. */
    static final class Entry {
        private final FusedForm form;
        private final Warming.State state = new Warming.State();
        private long seen;
        private volatile @Nullable Fused loop;

        private Entry(FusedForm form) {
            this.form = form;
        }

        /**
         * Counts elements that are about to be computed, and makes the loop when there have been
         * enough.
         */
        synchronized void expect(long elements) {
            if (loop != null) return;
            seen += elements;
            if (seen >= WORTHWHILE) loop = FusedCode.generate(form);
        }

        @Nullable Fused loop() {
            return loop;
        }

        Warming.State state() {
            return state;
        }
    }

    private final Map<FusedForm, Entry> entries = new ConcurrentHashMap<>();

    Entry of(FusedForm form) {
        return entries.computeIfAbsent(form, Entry::new);
    }
}
