package dev.ebb.trace;

import dev.ebb.ir.Graph;
import dev.ebb.ir.ShapeException;
import dev.ebb.ir.Type;
import dev.ebb.tensor.Dispatch;
import dev.ebb.tensor.Tensor;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * A function recorded at an argument.
 *
 * @param operands the tensors of the argument, then those that the function closes over
 * @param arguments how many tensors the argument has
 * @param structure what the function returned, without data
 */
public record RecordedFunction<R>(Graph graph, List<Tensor> operands, int arguments, R structure) {

    public RecordedFunction {
        operands = List.copyOf(operands);
    }

    public static <P, R> RecordedFunction<R> of(Function<P, R> f, P argument) {
        var leaves = Tree.flatten(argument);
        return of(f, argument, leaves.stream().map(Tensor::type).toList());
    }

    /** As above, with other types for the tensors of the argument. */
    public static <P, R> RecordedFunction<R> of(Function<P, R> f, P argument, List<Type> types) {
        var structure = new ArrayList<R>();
        var trace =
                Trace.of(
                        in -> {
                            structure.add(f.apply(Tree.unflatten(argument, in)));
                            return Tree.flatten(structure.getFirst());
                        },
                        types);
        var operands = new ArrayList<>(Tree.flatten(argument));
        operands.addAll(trace.captured());
        return new RecordedFunction<>(trace.graph(), operands, types.size(), structure.getFirst());
    }

    /** The tensors that the function closes over. */
    public List<Tensor> captured() {
        return operands.subList(arguments, operands.size());
    }

    /** The numbers of the parameters that belong to the argument: those to differentiate by. */
    public List<Integer> wrt() {
        return IntStream.range(0, arguments).boxed().toList();
    }

    /**
     * Runs {@code derived}, which takes the operands and then {@code directions}: at once if all
     * are arrays, otherwise as part of the function that is being traced.
     */
    public List<Tensor> run(Graph derived, List<Tensor> directions) {
        var all = new ArrayList<>(operands);
        all.addAll(directions);
        if (all.size() != derived.params().size()) {
            throw new ShapeException(
                    "a direction or cotangent has %s tensors where %s are expected"
                            .formatted(
                                    directions.size(), derived.params().size() - operands.size()));
        }
        for (int i = 0; i < all.size(); i++) {
            var expected = derived.params().get(i).type();
            if (!all.get(i).type().equals(expected)) {
                throw new ShapeException(
                        "a direction or cotangent is %s where %s is expected"
                                .formatted(all.get(i).type(), expected));
            }
        }
        return Dispatch.run(derived, all);
    }
}
