package dev.ebb.nn.optim;

import dev.ebb.Tensorwise;
import dev.ebb.ir.DType;
import dev.ebb.nn.model.Weights;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A rule that improves parameters: a pure function of parameters, gradients and its own state.
 * Traced into a step, the update runs in the program's memory, in place.
 */
public interface Optimizer {

    /** Parameters and what the optimizer knows after an update. */
    record Updated<P>(P params, State<P> state) {}

    /**
     * What an optimizer carries from step to step.
     *
     * @param step how many updates were made, as i64
     * @param slots trees like the parameters, such as momenta
     */
    record State<P>(Tensor step, List<P> slots) {}

    /** One parameter on its way through an update. */
    record Weight(Tensor value, Tensor gradient, List<Tensor> slots) {}

    /** A parameter after an update, and its slots. */
    record Moved(Tensor value, List<Tensor> slots) {}

    /** How many trees like the parameters this rule keeps. */
    int slots();

    Schedule rate();

    /**
     * The rule for one parameter.
     *
     * @param rate the learning rate
     * @param step the number of this update as f32, from one on
     */
    Moved move(Weight weight, Tensor rate, Tensor step);

    /** What the rule knows before the first update: zeros, in next to no memory. */
    default <P> State<P> start(P params) {
        var zeros = Weights.blank(params);
        return new State<>(
                Array.scalar(0L), IntStream.range(0, slots()).mapToObj(_ -> zeros).toList());
    }

    /** One update of all parameters. */
    default <P> Updated<P> update(P params, P gradients, State<P> state) {
        var made = state.step.cast(DType.F32);
        var rate = rate().at(made);
        var number = made.add(1);
        var values = Tensorwise.list(params);
        var slopes = Tensorwise.list(gradients);
        var before = state.slots.stream().map(Tensorwise::list).toList();
        var after = new ArrayList<Tensor>();
        var kept = state.slots.stream().map(_ -> new ArrayList<Tensor>()).toList();
        for (int i = 0; i < values.size(); i++) {
            int at = i;
            var own = before.stream().map(slot -> slot.get(at)).toList();
            var moved = move(new Weight(values.get(i), slopes.get(i), own), rate, number);
            after.add(moved.value);
            for (int j = 0; j < kept.size(); j++) kept.get(j).add(moved.slots.get(j));
        }
        var slots = new ArrayList<P>();
        for (var slot : kept) slots.add(Tensorwise.rebuild(params, slot));
        return new Updated<>(
                Tensorwise.rebuild(params, after), new State<>(state.step.add(1), slots));
    }

    /** Whether weight decay applies: to matrices, not to biases and norms. */
    static boolean decays(Tensor value) {
        return value.rank() >= 2;
    }
}
