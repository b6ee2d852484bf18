package dev.ebb.nn.adapt;

import dev.ebb.Tensorwise;
import dev.ebb.tensor.Tensor;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * Divides the tensors of a model into trained and frozen ones. If a loss is differentiated with
 * respect to the trained ones only, the frozen ones have no gradient, nothing is kept for one, and
 * the optimizer has no state for them.
 *
 * @param trained for each tensor, in the order of {@link Tensorwise#list}, whether it is trained
 */
public record Freezing(List<Boolean> trained) {
    public Freezing {
        trained = List.copyOf(trained);
    }

    /** The tensors of a model in two lists. */
    public record Parts(List<Tensor> trained, List<Tensor> frozen) {}

    /** Trains the tensors whose names, such as {@code blocks.0.norm1.weight}, pass the test. */
    public static Freezing training(Object model, Predicate<String> names) {
        var trained = Tensorwise.names(model).stream().map(names::test).toList();
        if (trained.contains(true)) return new Freezing(trained);
        throw new IllegalArgumentException(
                "no tensor of the model would be trained; its names are like "
                        + Tensorwise.names(model).stream().limit(4).toList());
    }

    /** The tensors of a model, divided. */
    public Parts of(Object model) {
        var tensors = Tensorwise.list(model);
        requireCount(tensors.size());
        var moving = new ArrayList<Tensor>();
        var still = new ArrayList<Tensor>();
        for (int i = 0; i < tensors.size(); i++)
            (trained.get(i) ? moving : still).add(tensors.get(i));
        return new Parts(List.copyOf(moving), List.copyOf(still));
    }

    /** A model with the structure of {@code like} and these tensors. */
    public <M> M joined(M like, Parts parts) {
        requireCount(parts.trained.size() + parts.frozen.size());
        var moving = parts.trained.iterator();
        var still = parts.frozen.iterator();
        var all = new ArrayList<Tensor>();
        for (boolean moves : trained) all.add(moves ? moving.next() : still.next());
        return Tensorwise.rebuild(like, all);
    }

    private void requireCount(int tensors) {
        if (tensors == trained.size()) return;
        throw new IllegalArgumentException(
                "this was made for a model of %s tensors, and there are %s"
                        .formatted(trained.size(), tensors));
    }
}
