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
 * {@link Collectives#reduceScatter} in two ops: one begins it and one waits for its end. Between
 * them the rank computes. What is sent, the room for what comes and the sum are values that the
 * first op gives and the second reads, so they are alive meanwhile, in planned memory. Both are
 * effects: they run once, and in program order, so at most as many exchanges are under way as the
 * program has begun and not ended. Where memory is short the planner puts the end next to the
 * beginning.
 */
final class Scattering {
    private final Group group;
    private volatile Future<?> exchange = CompletableFuture.completedFuture(null);

    private Scattering(Group group) {
        this.group = group;
    }

    /** As {@link Collectives#reduceScatter}, beside what else can be computed. */
    static Tensor reduceScatter(Tensor x, Group group) {
        var scattering = new Scattering(group);
        var begun = x.applyAll(scattering.new Begin());
        return begun.get(2).apply(scattering.new End(), begun.get(0), begun.get(1));
    }

    /** Plain Java whose first output is its first input. */
    private interface Passing extends Kernel.Library {
        @Override
        default long workspaceBytes() {
            return 0;
        }

        @Override
        default boolean passesFirst() {
            return true;
        }

        /** The first output's bytes, which are the first input's. */
        static MemorySegment passed(List<Buffer> from, List<Buffer> to) {
            var here = Collectives.bytes(from.getFirst());
            var there = Collectives.bytes(to.getFirst());
            if (here.address() != there.address()) there.copyFrom(here);
            return there;
        }
    }

    /** Gives what is sent, room for what comes, and the sum to be. */
    private final class Begin implements Differentiable {
        @Override
        public String name() {
            return "begin_reduce_scatter";
        }

        @Override
        public List<Type> infer(List<Type> in) {
            var whole = in.getFirst();
            var part = new Collectives.ReduceScatter(group).infer(in).getFirst();
            int room = Math.toIntExact(Exchange.workspaceBytes(group.size(), part.bytes()));
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
                            group.lane()
                                    .start(
                                            () ->
                                                    Exchange.reduceScatter(
                                                            group, dtype, sent, sum, room));
                }
            };
        }

        @Override
        public Set<Trait> traits() {
            return Set.of(Trait.EFFECT, Trait.BESIDE);
        }

        @Override
        public void vjp(Rule rule) {
            throw new UnsupportedOperationException(
                    "an exchange beside the computation has no derivative; use"
                            + " Collectives.reduceScatter");
        }
    }

    /** Waits, and gives the sum. */
    private final class End implements Differentiable {
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
                    Lane.await(exchange);
                    Passing.passed(from, to);
                }
            };
        }

        @Override
        public Set<Trait> traits() {
            return Set.of(Trait.EFFECT);
        }

        @Override
        public void vjp(Rule rule) {
            throw new UnsupportedOperationException(
                    "an exchange beside the computation has no derivative; use"
                            + " Collectives.reduceScatter");
        }
    }
}
