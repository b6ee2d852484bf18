package dev.ebb.cpu.tile;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Chooses between a vector loop and a plain loop that give the same bits. Vector API code runs a
 * hundred times slower than plain loops until the JIT has compiled it, and the JIT compiles it only
 * after thousands of calls. So before the vector loop is compiled, each call computes a few
 * elements with it, so that the JIT compiles it, and the rest with the plain loop; from time to
 * time both are timed, and once the vector loop is faster it computes everything. The choice
 * depends on the clock, but no bit depends on the choice.
 */
public final class WarmupStep implements TileStep {
    /** The plain loop of a step, for the elements from {@code skip} to {@code n}. */
    @FunctionalInterface
    public interface Plain {
        void run(Tile tile, long position, int skip, int n);
    }

    /** The warm-up state of one loop; shared by all steps that run it. */
    public static final class State {
        private static final int PATIENCE = 256;
        private static final int EVERY = 32;
        private static final int SELDOM = 512;

        /** The number of consecutive trials: the first one runs with cold caches. */
        private static final int IN_A_ROW = 4;

        private static final int FEWEST = 8;
        private static final int MOST = 1000;

        /**
         * A trial is short, so the overhead of the call counts; a vector loop slower than this many
         * plain loops is not compiled yet.
         */
        private static final int NEAR = 4;

        private volatile boolean hot;
        private int calls;
        private int measured;
        private boolean near;
        private double vectors = Double.MAX_VALUE;
        private double plain = Double.MAX_VALUE;

        public boolean isHot() {
            return hot;
        }

        /** Uses the vector loop from now on. */
        public void trust() {
            hot = true;
        }

        /**
         * Whether the next call is to be a timed trial: once a sample was fast, or from time to
         * time.
         */
        public boolean isTimeToMeasure() {
            if (near && !isHopeless()) return true;
            return ++calls > PATIENCE && calls % (isHopeless() ? SELDOM : EVERY) < IN_A_ROW;
        }

        /**
         * Whether the vector loop was slower so often that it will hardly become faster. On a busy
         * machine the JIT may just be late, so it is still tried from time to time.
         */
        public boolean isHopeless() {
            return measured > MOST;
        }

        /** Records the time per element of both loops, for a trial or a sample. */
        public void note(boolean trial, double vectorNanos, double plainNanos) {
            if (trial) compare(vectorNanos, plainNanos);
            else near = vectorNanos < NEAR * plainNanos;
        }

        /** The minimum counts, as a busy machine only ever adds time. */
        private void compare(double vectorNanos, double plainNanos) {
            vectors = Math.min(vectors, vectorNanos);
            plain = Math.min(plain, plainNanos);
            if (++measured >= FEWEST && vectors < plain) hot = true;
        }
    }

    /** The warm-up state of the loop of each function. */
    public static final class States<K> {
        private final Map<K, State> all = new ConcurrentHashMap<>();

        public State of(K function) {
            return all.computeIfAbsent(function, _ -> new State());
        }
    }

    /** The number of elements from which on a tile is worth timing. */
    public static final int TIMED = 128;

    /** The number of elements of a tile computed by the vector loop while it is not compiled. */
    public static final int SAMPLE = 32;

    private final State state;
    private final TileStep vectors;
    private final Plain plain;

    public WarmupStep(State state, TileStep vectors, Plain plain) {
        this.state = state;
        this.vectors = vectors;
        this.plain = plain;
    }

    @Override
    public void run(Tile tile, long position, int n) {
        if (state.isHot()) vectors.run(tile, position, n);
        else warm(tile, position, n);
    }

    private void warm(Tile tile, long position, int n) {
        boolean trial = n >= TIMED && state.isTimeToMeasure();
        int some = trial ? n / 64 * 32 : Math.min(SAMPLE, n / 8 * 8);
        long start = System.nanoTime();
        vectors.run(tile, position, some);
        long turn = System.nanoTime();
        plain.run(tile, position, some, n);
        double rest = System.nanoTime() - turn;
        state.note(trial, (double) (turn - start) / some, rest / (n - some));
    }
}
