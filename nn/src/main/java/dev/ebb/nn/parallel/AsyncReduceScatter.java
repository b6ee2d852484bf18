package dev.ebb.nn.parallel;

import dev.ebb.ir.Buffer;
import dev.ebb.ir.DType;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Shape;
import dev.ebb.ir.Trait;
import dev.ebb.ir.Type;
import dev.ebb.tensor.Differentiable;
import dev.ebb.tensor.Rule;
import dev.ebb.tensor.Tensor;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;

/**
 * {@link Collectives#reduceScatter} in two ops: one starts it and one waits for its end. In between
 * the rank computes. The data sent, the memory for the data received and the sum are outputs of the
 * first op that the second reads, so they are alive in the meantime, in planned memory. Both are
 * effects: they run once, in program order, so no more exchanges are open than the program has
 * started and not ended. If memory is short, the planner moves the end next to the start.
 */
final class AsyncReduceScatter {
    private final Group group;
    private volatile Future<?> exchange = CompletableFuture.completedFuture(null);

    private AsyncReduceScatter(Group group) {
        this.group = group;
    }

    /** As {@link Collectives#reduceScatter}, overlapped with other computation. */
    static Tensor reduceScatter(Tensor x, Group group) {
        var scattering = new AsyncReduceScatter(group);
        var begun = x.applyAll(scattering.new Begin());
        return begun.get(2).apply(scattering.new End(), begun.get(0), begun.get(1));
    }

    /** A {@code Library} kernel whose first output is its first input. */
    private interface Passing extends Kernel.Library {
        @Override
        default long workspaceBytes() {
            return 0;
        }

        @Override
        default boolean passesFirst() {
            return true;
        }

        /** The bytes of the first output, which are those of the first input. */
        static MemorySegment passed(List<Buffer> from, List<Buffer> to) {
            var here = Collectives.bytes(from.getFirst());
            var there = Collectives.bytes(to.getFirst());
            if (here.address() != there.address()) there.copyFrom(here);
            return there;
        }
    }

    /** One of the two ops of an exchange. */
    private interface Half extends Differentiable {
        @Override
        default void vjp(Rule rule) {
            throw new UnsupportedOperationException(
                    "an exchange beside the computation has no derivative; use"
                            + " Collectives.reduceScatter");
        }
    }

    /**
     * Starts the exchange; its outputs are the data sent, the memory for the data received, and the
     * future sum.
     */
    private final class Begin implements Half {
        @Override
        public String name() {
            return "begin_reduce_scatter";
        }

        @Override
        public List<Type> infer(List<Type> in) {
            var whole = in.getFirst();
            var part = new Collectives.ReduceScatter(group).infer(in).getFirst();
            int room = Math.toIntExact(HostCollectives.workspaceBytes(group.size(), part.bytes()));
            return List.of(whole, new Type(DType.U8, Shape.of(room)), part);
        }

        @Override
        public Kernel kernel(List<Type> in) {
            return new Passing() {
                @Override
                public void run(List<Buffer> from, List<Buffer> to, Buffer workspace) {
                    var sent = Passing.passed(from, to);
                    var room = Collectives.bytes(to.get(1));
                    var sum = Collectives.bytes(to.get(2));
                    var dtype = to.getFirst().dtype();
                    exchange =
                            group.queue()
                                    .start(
                                            () ->
                                                    HostCollectives.reduceScatter(
                                                            group, dtype, sent, sum, room));
                }
            };
        }

        @Override
        public Set<Trait> traits() {
            return Set.of(Trait.EFFECT, Trait.BESIDE);
        }
    }

    /** Waits for the exchange and returns the sum. */
    private final class End implements Half {
        @Override
        public String name() {
            return "end_reduce_scatter";
        }

        @Override
        public List<Type> infer(List<Type> in) {
            return List.of(in.getFirst());
        }

        @Override
        public Kernel kernel(List<Type> in) {
            return new Passing() {
                @Override
                public void run(List<Buffer> from, List<Buffer> to, Buffer workspace) {
                    ExchangeQueue.await(exchange);
                    Passing.passed(from, to);
                }
            };
        }

        @Override
        public Set<Trait> traits() {
            return Set.of(Trait.EFFECT);
        }
    }
}
