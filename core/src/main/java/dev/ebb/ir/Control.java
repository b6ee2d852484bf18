package dev.ebb.ir;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Kernels that consist of whole graphs: loops and branches. A program runs them itself and uses the
 * device's kernels for their bodies.
 */
public sealed interface Control extends Kernel.Opaque {
    /** The graphs that this kernel runs. */
    List<Graph> bodies();

    /** The same kernel with other graphs that compute the same results. */
    Control withBodies(List<Graph> bodies);

    /**
     * What a loop keeps for its reverse, as further outputs: which of the carries at the start of
     * its iterations, and which tapes.
     */
    sealed interface Checkpointing {
        /** Nothing is kept. */
        record Nothing() implements Checkpointing {}

        /**
         * The carries of all iterations, stacked in the order of the slices: one output for each
         * carry.
         */
        record Everything() implements Checkpointing {}

        /**
         * The states from which {@link ReverseScan} starts, and the tapes of the last iterations.
         */
        record Checkpoints(CheckpointArea area, Taping taping) implements Checkpointing {}

        /**
         * Online checkpointing, for a loop of unknown length: the states from which the iterations
         * so far are best reversed. One more output holds the iteration of each state, -1 for none.
         */
        record Online(CheckpointArea area) implements Checkpointing {}
    }

    /**
     * The tape of an iteration, which the reverse of that iteration reads: the carries at the start
     * of the iteration whose numbers are in {@code carries}, and the results of {@code body} that
     * follow those of the iteration itself.
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
     * outputs are the last carries and the stacked slices, then the outputs for {@code
     * checkpointing}. Iterations run from the last slice to the first if {@code reverse}. A slice
     * may also be a tile of several rows of a tensor: rows left over at the end are not read, and
     * are zero in the outputs. If {@code counted}, one more input comes first: the I64 number of
     * iterations that really run, on the first slices; the output slices of the others are zero.
     *
     * @param undo maps (constants, carries after an iteration, slices) to the carries before it,
     *     with the same bits; a reverse loop may use it instead of checkpoints
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

        /** A loop without an inverse, whose iterations all cost the same. */
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
                    IterationCosts.EVEN,
                    Optional.empty());
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

        /** The same loop with another body, and without an inverse. */
        public Scan withBody(Graph other) {
            return new Scan(
                    other,
                    times,
                    constants,
                    carries,
                    reverse,
                    counted,
                    checkpointing,
                    costs,
                    Optional.empty());
        }

        /** The same loop without its inverse. */
        public Scan withoutInverse() {
            return withBody(body);
        }
    }

    /**
     * One graph, repeated while a condition holds. Inputs: {@code constants}, then {@code carries};
     * condition and body take both. Outputs: the last carries, the I64 number of iterations, then
     * the results of each iteration that are not carries, stacked, and the outputs for {@code
     * checkpointing}. Slices of iterations that do not run are zero. More iterations than {@code
     * limit} are an error.
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

        /** Its body as a loop of at most {@code limit} iterations. */
        public Scan iterations(Checkpointing other) {
            return new Scan(body, limit, constants, carries, false, true, other);
        }

        public While withCheckpointing(Checkpointing other) {
            return new While(condition, body, limit, constants, carries, other);
        }
    }

    /** Which states and tapes are in the checkpoint area of a reverse loop when it starts. */
    enum ReverseStart {
        /** None: it runs the forward loop itself, with a checkpoint area in its own workspace. */
        EMPTY,
        /** Those of {@link Checkpointing.Checkpoints}. */
        CHECKPOINTED,
        /** Those of {@link Checkpointing.Online}. */
        ONLINE
    }

    /**
     * A reverse loop that recomputes the forward values that it reads, from checkpoints, instead of
     * reading all of them from stacks. It runs {@code forward} again from a saved state up to the
     * iterations that are reversed next. These iterations are run by {@code taping}, which also
     * returns their tapes; the last of them is run by {@code tapeOnly}, which returns only its
     * tape, since its carries are not needed. Inputs: those of the forward loop, the states and
     * tapes that the forward loop saved (this kernel uses and overwrites their memory), then those
     * of {@code backward} except its count and its first slices, which are the tape. Outputs are
     * those of {@code backward}.
     */
    record ReverseScan(
            Scan forward,
            Taping taping,
            Graph tapeOnly,
            Scan backward,
            CheckpointArea area,
            ReverseStart start)
            implements Control {
        @Override
        public List<Graph> bodies() {
            return List.of(forward.body, taping.body, tapeOnly, backward.body);
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
            return new ReverseScan(forward, taping, tapeOnly, backward, other, start);
        }
    }

    /**
     * One of two graphs of the same types: {@code yes} if the first input, a truth value, holds.
     * The other inputs are the inputs of both graphs.
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
