package dev.ebb.tensor;

import dev.ebb.ir.Graph;
import dev.ebb.ir.Op;

import java.util.List;
import java.util.ServiceLoader;

/**
 * Decides where an op is run: it is recorded in the function that is being traced, or on the tape
 * of an operand. If there is neither and all operands are arrays, it is computed at once.
 */
public final class Dispatch {
    private Dispatch() {}

    public static List<Tensor> apply(Op op, List<Tensor> operands) {
        var recording = Recording.of(operands, op);
        if (recording.isPresent()) return recording.get().emit(op, operands);
        return List.copyOf(Service.EAGER.apply(op, operands.stream().map(t -> (Array) t).toList()));
    }

    /** Runs or records a whole graph, as an op on {@code operands} would be. */
    public static List<Tensor> run(Graph graph, List<Tensor> operands) {
        var recording = Recording.of(operands, "a derivative");
        if (recording.isPresent()) return recording.get().inline(graph, operands);
        return List.copyOf(
                Service.EAGER.run(graph, operands.stream().map(t -> (Array) t).toList()));
    }

    /** The result of an op without operands, run or recorded as an op on {@code other} would be. */
    static Tensor beside(Tensor other, Op op) {
        var recording = Recording.of(List.of(other), op.name());
        return recording.isPresent()
                ? recording.get().emit(op, List.of()).getFirst()
                : Service.EAGER.apply(op, List.of()).getFirst();
    }

    private static final class Service {
        static final Eager EAGER =
                ServiceLoader.load(Eager.class, Eager.class.getClassLoader())
                        .findFirst()
                        .orElseThrow(
                                () ->
                                        new IllegalStateException(
                                                "no engine for eager ops is on the module or class"
                                                        + " path"));
    }
}
