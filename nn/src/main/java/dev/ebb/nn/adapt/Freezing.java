package dev.ebb.nn.adapt;

import dev.ebb.Tensorwise;
import dev.ebb.tensor.Tensor;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * Which tensors of a model are trained; the others stay as they are. Differentiated by the trained
 * ones alone, the frozen ones have no gradient, nothing is kept for one, and an optimizer holds no
 * state of them.
 *
 * @param trained for each tensor, in the order of {@link Tensorwise#list}, whether it is trained
 */
public record Freezing(List<Boolean> trained) {
    public Freezing {
        trained = List.copyOf(trained);
    }

    /** A model in two lists. */
    public record Parts(List<Tensor> trained, List<Tensor> frozen) {}

    /** Trains the tensors whose names, such as {@code blocks.0.norm1.weight}, pass the test. */
    public static Freezing training(Object model, Predicate<String> names) {
        var trained = Tensorwise.names(model).stream().map(names::test).toList();
        if (trained.contains(true)) return new Freezing(trained);
        throw new IllegalArgumentException(
                "no tensor of the model would be trained; its names are like "
                        + Tensorwise.names(model).stream().limit(4).toList());
    }

    /** The tensors of a model, apart. */
    public Parts of(Object model) {
        var tensors = Tensorwise.list(model);
        requireCount(tensors.size());
        var moving = new ArrayList<Tensor>();
        var still = new ArrayList<Tensor>();
        for (int i = 0; i < tensors.size(); i++)
            (trained.get(i) ? moving : still).add(tensors.get(i));
        return new Parts(List.copyOf(moving), List.copyOf(still));
    }

    /** A model like {@code like} of these tensors. */
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
                "this was made for a model of "
                        + trained.size()
                        + " tensors, and there are "
                        + tensors);
    }
}
