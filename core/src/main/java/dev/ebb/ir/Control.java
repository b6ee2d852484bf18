package dev.ebb.ir;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Kernels that consist of whole graphs: loops and branches. A program runs them itself and uses the
 * device's kernels for their bodies.
 */
public sealed interface Control extends Kernel {
    /** The graphs this runs. */
    List<Graph> bodies();

    /** The same with other graphs, which compute the same. */
    Control withBodies(List<Graph> bodies);

    /**
     * Which of the carries that its iterations began with a loop keeps for its reverse, as further
     * outputs.
     */
    sealed interface Checkpointing {
        /** No carries. */
        record Nothing() implements Checkpointing {}

        /** All of them, stacked in the order of the slices: one output for each carry. */
        record Everything() implements Checkpointing {}

        /**
         * States where {@link ReverseScan} wants to begin, and the tapes of the last iterations.
         */
        record Checkpoints(CheckpointArea area, Taping taping) implements Checkpointing {}

        /**
         * States of a loop whose length is not known yet: those that reverse it best if it ends
         * now. One more output tells the iterations they belong to, -1 for none.
         */
        record Online(CheckpointArea area) implements Checkpointing {}
    }

    /**
     * The tape of an iteration, which the reverse of that iteration reads: the carries that the
     * iteration began with and whose numbers are in {@code carries}, and the results that {@code
     * body} has beyond those of the iteration itself.
     */
    record Taping(List<Integer> carries, Graph body) {
        public Taping {
            carries = List.copyOf(carries);
        }
    }

    /**
     * One graph, repeated. Inputs: {@code constants} read by every iteration, {@code carries}
     * handed from iteration to iteration, then tensors whose first axis has {@code times} slices,
     * one for each iteration. The body maps (constants, carries, slices) to (carries, slices);
     * outputs are the last carries and the stacked slices, then what it is to remember. Iterations
     * run from the last slice to the first if {@code reverse}. A slice may also be several rows of
     * a tensor, one part after the other: rows that are left over are not read, and zero in what is
     * given. If {@code counted}, one more input comes first: the I64 number of iterations that
     * really run, on that number of slices, the first; slices of the others are zero.
     *
     * @param undo maps (constants, carries after an iteration, slices) to the carries before it, to
     *     the last bit; a way back that a reverse loop may take
     */
    record Scan(
            Graph body,
            int times,
            int constants,
            int carries,
            boolean reverse,
            boolean counted,
            Checkpointing checkpointing,
            IterationCosts costs,
            Optional<Graph> undo)
            implements Control {

        /** A loop that cannot be undone. */
        public Scan(
                Graph body,
                int times,
                int constants,
                int carries,
                boolean reverse,
                boolean counted,
                Checkpointing checkpointing,
                IterationCosts costs) {
            this(
                    body,
                    times,
                    constants,
                    carries,
                    reverse,
                    counted,
                    checkpointing,
                    costs,
                    Optional.empty());
        }

        /** A loop whose iterations all cost the same. */
        public Scan(
                Graph body,
                int times,
                int constants,
                int carries,
                boolean reverse,
                boolean counted,
                Checkpointing checkpointing) {
            this(
                    body,
                    times,
                    constants,
                    carries,
                    reverse,
                    counted,
                    checkpointing,
                    IterationCosts.EVEN);
        }

        @Override
        public List<Graph> bodies() {
            var bodies = new ArrayList<>(List.of(body));
            if (checkpointing instanceof Checkpointing.Checkpoints(_, var taping))
                bodies.add(taping.body);
            undo.ifPresent(bodies::add);
            return bodies;
        }

        @Override
        public Scan withBodies(List<Graph> bodies) {
            var renewed =
                    checkpointing instanceof Checkpointing.Checkpoints(var area, var taping)
                            ? new Checkpointing.Checkpoints(
                                    area, new Taping(taping.carries, bodies.get(1)))
                            : checkpointing;
            return new Scan(
                    bodies.getFirst(),
                    times,
                    constants,
                    carries,
                    reverse,
                    counted,
                    renewed,
                    costs,
                    undo.map(_ -> bodies.getLast()));
        }

        public Scan withCheckpointing(Checkpointing other) {
            return new Scan(body, times, constants, carries, reverse, counted, other, costs, undo);
        }

        /**
         * How many rows a tile has, if the slices of the loop with these inputs are tiles of
         * tensors rather than single indices of their first axes.
         */
        public Optional<Integer> tileRows(List<Value> inputs) {
            int first = constants + carries;
            if (body.params().size() == first) return Optional.empty();
            var slice = body.params().get(first).type().shape();
            var dims = new ArrayList<>(List.of(times));
            dims.addAll(slice.dims());
            var stack = inputs.get(inputs.size() - body.params().size() + first).type().shape();
            return stack.dims().equals(dims)
                    ? Optional.empty()
                    : slice.dims().stream().filter(d -> d != 1).findFirst();
        }

        /** The same, never to be undone. */
        public Scan onward() {
            return new Scan(
                    body, times, constants, carries, reverse, counted, checkpointing, costs);
        }
    }

    /**
     * One graph, repeated while a condition holds. Inputs: {@code constants}, then {@code carries};
     * condition and body take both. Outputs: the last carries, the I64 number of iterations, then
     * what each iteration gave beyond its carries, stacked, and what it is to remember. Slices of
     * iterations that do not run are zero. More iterations than {@code limit} are an error.
     */
    record While(
            Graph condition,
            Graph body,
            int limit,
            int constants,
            int carries,
            Checkpointing checkpointing)
            implements Control {
        @Override
        public List<Graph> bodies() {
            return List.of(condition, body);
        }

        @Override
        public While withBodies(List<Graph> bodies) {
            return new While(
                    bodies.getFirst(), bodies.getLast(), limit, constants, carries, checkpointing);
        }

        public While withCheckpointing(Checkpointing other) {
            return new While(condition, body, limit, constants, carries, other);
        }
    }

    /** Which states and tapes are in the memory of a reverse loop when it begins. */
    enum ReverseStart {
        /** Nothing: it runs the loop itself, and keeps what it keeps in its own workspace. */
        EMPTY,
        /** What {@link Checkpointing.Checkpoints} left. */
        CHECKPOINTED,
        /** What {@link Checkpointing.Online} left. */
        ONLINE
    }

    /**
     * A reverse loop that computes the values that it reads again, instead of finding all of them
     * stacked. It runs {@code forward} again from a saved state up to the iterations that are
     * reversed next. These iterations are run by {@code taping}, which also gives their tapes; the
     * last of them is run by {@code leaving}, which gives its tape and nothing else, since no carry
     * of it is needed. Inputs: those of the forward loop, the states and tapes that the forward
     * loop left (whose memory this kernel uses and overwrites), then those of {@code backward}
     * except its count and its first slices, which are the tape. Outputs are those of {@code
     * backward}.
     */
    record ReverseScan(
            Scan forward,
            Taping taping,
            Graph leaving,
            Scan backward,
            CheckpointArea area,
            ReverseStart start)
            implements Control {
        @Override
        public List<Graph> bodies() {
            return List.of(forward.body, taping.body, leaving, backward.body);
        }

        @Override
        public ReverseScan withBodies(List<Graph> bodies) {
            return new ReverseScan(
                    forward.withBodies(bodies.subList(0, 1)),
                    new Taping(taping.carries, bodies.get(1)),
                    bodies.get(2),
                    backward.withBodies(bodies.subList(3, 4)),
                    area,
                    start);
        }

        public ReverseScan in(CheckpointArea other) {
            return new ReverseScan(forward, taping, leaving, backward, other, start);
        }
    }

    /**
     * One of two graphs of the same types: the first if the first input, a truth value, holds; the
     * others are theirs.
     */
    record Cond(Graph yes, Graph no) implements Control {
        @Override
        public List<Graph> bodies() {
            return List.of(yes, no);
        }

        @Override
        public Cond withBodies(List<Graph> bodies) {
            return new Cond(bodies.getFirst(), bodies.getLast());
        }
    }
}
