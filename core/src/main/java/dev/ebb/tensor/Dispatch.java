package dev.ebb.tensor;

import dev.ebb.ir.Op;

import java.util.List;
import java.util.ServiceLoader;

/**
 * Where an op goes: into the function being recorded, or, with none and only arrays, to be computed
 * at once.
 */
final class Dispatch {
    private Dispatch() {}

    static List<Tensor> apply(Op op, List<Tensor> operands) {
        if (Recording.isActive()) return Recording.current(op.name()).emit(op, operands);
        var arrays =
                operands.stream()
                        .map(
                                t ->
                                        switch (t) {
                                            case Array a -> a;
                                            case Traced _ ->
                                                    throw new IllegalStateException(
                                                            op.name()
                                                                    + ": "
                                                                    + t
                                                                    + " was traced in a function"
                                                                    + " that has already returned;"
                                                                    + " return it from that"
                                                                    + " function instead of keeping"
                                                                    + " it elsewhere");
                                        })
                        .toList();
        return List.copyOf(Service.EAGER.apply(op, arrays));
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
