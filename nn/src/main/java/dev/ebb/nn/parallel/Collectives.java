package dev.ebb.nn.parallel;

import dev.ebb.ir.Buffer;
import dev.ebb.ir.DType;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.ShapeException;
import dev.ebb.ir.Trait;
import dev.ebb.ir.Type;
import dev.ebb.tensor.Differentiable;
import dev.ebb.tensor.Rule;
import dev.ebb.tensor.Tensor;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Set;

/**
 * Communication between ranks as ops: part of the graph, in planned memory, with derivatives. All
 * ranks run the same program, so that each finds its peers at the same op; {@link Agreement} checks
 * this before the first exchange.
 *
 * <p>A derivative is that of the sum over all ranks' results. Sums are taken in the order of {@link
 * TreeSum} over ranks.
 *
 * <p>A sum and a broadcast run once, in program order. Gathering has no effect except its result,
 * so a gathered tensor may be freed and gathered again if the budget requires it: all ranks have
 * the same plan, and do so at the same step.
 */
public final class Collectives {
    private Collectives() {}

    /** The sum of all ranks' {@code x}, on every rank. */
    public static Tensor allReduce(Tensor x, Group group) {
        return group.size() == 1 ? x : x.apply(new AllReduce(group));
    }

    /** This rank's part along the first axis of the sum of all ranks' {@code x}. */
    public static Tensor reduceScatter(Tensor x, Group group) {
        return group.size() == 1 ? x : x.apply(new ReduceScatter(group));
    }

    /**
     * Sends part r along the first axis to rank r; the result has the received parts in the order
     * of ranks.
     */
    public static Tensor allToAll(Tensor x, Group group) {
        return group.size() == 1 ? x : x.apply(new AllToAll(group));
    }

    /** All ranks' {@code x}, concatenated along the first axis. */
    public static Tensor allGather(Tensor x, Group group) {
        return group.size() == 1 ? x : x.apply(new AllGather(group));
    }

    /** The {@code x} of rank {@code root}, on every rank. */
    public static Tensor broadcast(Tensor x, Group group, int root) {
        return group.size() == 1 ? x : x.apply(new Broadcast(group, root));
    }

    /**
     * A {@code Library} kernel that runs on the host after the exchanges before it.
     *
     * @param sentBytes that a rank sends
     */
    record Run(Group group, long workspaceBytes, long sentBytes, Body body)
            implements Kernel.Library {
        @Override
        public void run(List<Buffer> inputs, List<Buffer> outputs, Buffer workspace) {
            group.queue().run(() -> body.run(inputs.getFirst(), outputs.getFirst(), workspace));
        }
    }

    /** An exchange of its own in every run, in the same order on all ranks. */
    interface Exchange extends Differentiable {
        @Override
        default Set<Trait> traits() {
            return Set.of(Trait.EFFECT);
        }
    }

    interface Body {
        void run(Buffer in, Buffer out, Buffer workspace);
    }

    private static DType summable(String op, Type type) {
        if (type.dtype() == DType.F32 || type.dtype() == DType.F64) return type.dtype();
        throw new ShapeException(
                op + " of " + type + ": sums over ranks are of f32 or f64; cast it first");
    }

    private static void requireParts(String op, Type type, Group group) {
        if (type.shape().rank() > 0 && type.shape().dim(0) % group.size() == 0) return;
        throw new ShapeException(
                "%s of %s over %s ranks: the first axis must divide into them; pad it"
                        .formatted(op, type, group.size()));
    }

    /** {@code type} with a first axis of length {@code dim}. */
    private static Type led(Type type, int dim) {
        return type.with(type.shape().with(0, dim));
    }

    record AllReduce(Group group) implements Exchange {
        @Override
        public List<Type> infer(List<Type> in) {
            summable(name(), in.getFirst());
            return in;
        }

        @Override
        public Kernel kernel(List<Type> in) {
            var type = in.getFirst();
            long part = HostCollectives.stride(group.size(), type.dtype(), type.bytes());
            return new Run(
                    group,
                    HostCollectives.workspaceBytes(group.size(), part),
                    2 * part * (group.size() - 1),
                    (x, y, space) ->
                            HostCollectives.allReduce(
                                    group, x.dtype(), bytes(x), bytes(y), space.segment()));
        }

        @Override
        public void vjp(Rule rule) {
            rule.add(0, rule.dout(0).apply(this));
        }
    }

    record ReduceScatter(Group group) implements Exchange {
        @Override
        public List<Type> infer(List<Type> in) {
            var type = in.getFirst();
            summable(name(), type);
            requireParts(name(), type, group);
            return List.of(led(type, type.shape().dim(0) / group.size()));
        }

        @Override
        public Kernel kernel(List<Type> in) {
            return new Run(
                    group,
                    HostCollectives.workspaceBytes(group.size(), infer(in).getFirst().bytes()),
                    in.getFirst().bytes() - infer(in).getFirst().bytes(),
                    (x, y, space) ->
                            HostCollectives.reduceScatter(
                                    group, x.dtype(), bytes(x), bytes(y), space.segment()));
        }

        @Override
        public void vjp(Rule rule) {
            rule.add(0, rule.dout(0).apply(new AllGather(group)));
        }
    }

    record AllToAll(Group group) implements Exchange {
        @Override
        public List<Type> infer(List<Type> in) {
            requireParts(name(), in.getFirst(), group);
            return in;
        }

        @Override
        public Kernel kernel(List<Type> in) {
            long all = in.getFirst().bytes();
            return new Run(
                    group,
                    0,
                    all - all / group.size(),
                    (x, y, _) -> HostCollectives.allToAll(group, bytes(x), bytes(y)));
        }

        @Override
        public void vjp(Rule rule) {
            rule.add(0, rule.dout(0).apply(this));
        }
    }

    record AllGather(Group group) implements Differentiable {
        @Override
        public List<Type> infer(List<Type> in) {
            var type = in.getFirst();
            if (type.shape().rank() == 0)
                throw new ShapeException(name() + " of a scalar; reshape it to one element");
            return List.of(led(type, Math.multiplyExact(type.shape().dim(0), group.size())));
        }

        @Override
        public Kernel kernel(List<Type> in) {
            return new Run(
                    group,
                    0,
                    in.getFirst().bytes() * (group.size() - 1),
                    (x, y, _) -> HostCollectives.allGather(group, bytes(x), bytes(y)));
        }

        @Override
        public Set<Trait> traits() {
            return Set.of(Trait.EXPENSIVE);
        }

        @Override
        public void vjp(Rule rule) {
            rule.add(0, rule.dout(0).apply(new ReduceScatter(group)));
        }
    }

    record Broadcast(Group group, int root) implements Exchange {
        @Override
        public List<Type> infer(List<Type> in) {
            return in;
        }

        @Override
        public Kernel kernel(List<Type> in) {
            return new Run(
                    group,
                    0,
                    in.getFirst().bytes() * (group.size() - 1),
                    (x, y, _) -> HostCollectives.broadcast(group, root, bytes(x), bytes(y)));
        }

        @Override
        public void vjp(Rule rule) {
            rule.add(0, rule.dout(0).apply(new ReduceTo(group, root)));
        }
    }

    /** The sum of all ranks' operands on rank {@code root}, zeros on the others. */
    record ReduceTo(Group group, int root) implements Exchange {
        @Override
        public List<Type> infer(List<Type> in) {
            summable(name(), in.getFirst());
            return in;
        }

        @Override
        public Kernel kernel(List<Type> in) {
            var sum = (Run) new AllReduce(group).kernel(in);
            return new Run(
                    group,
                    sum.workspaceBytes(),
                    sum.sentBytes(),
                    (x, y, space) -> {
                        sum.body.run(x, y, space);
                        if (group.rank() != root) bytes(y).fill((byte) 0);
                    });
        }

        @Override
        public void vjp(Rule rule) {
            rule.add(0, rule.dout(0).apply(new Broadcast(group, root)));
        }
    }

    /** Exactly the bytes of the elements: a buffer's memory may be longer. */
    static MemorySegment bytes(Buffer buffer) {
        return buffer.segment().asSlice(0, buffer.bytes());
    }
}
