package dev.ebb.nn.optim;

import dev.ebb.Tensorwise;
import dev.ebb.ir.DType;
import dev.ebb.ir.Type;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.stream.IntStream;

/**
 * An update rule for parameters: a pure function of parameters, gradients and its own state. Traced
 * into a step, the update runs in place in the program's memory.
 *
 * <p>Weights of f32 and f64 are updated in their own type. An update is usually smaller than the
 * resolution of sixteen bits, so weights of bf16 and f16 have a master copy in f32 in the state;
 * the update is applied to this copy, and the weights are its rounded values. The rule's state for
 * them is f32 too.
 */
public interface Optimizer {

    /** Parameters and the optimizer's state after an update. */
    record Updated<P>(P params, State<P> state) {}

    /**
     * The state that an optimizer carries from step to step.
     *
     * @param step the number of updates made, as i64
     * @param slots trees like the parameters, such as momenta
     * @param masters f32 copies of the weights of sixteen bits, in the order of {@link
     *     Tensorwise#list}
     */
    record State<P>(Tensor step, List<P> slots, List<Tensor> masters) {}

    /** One parameter before an update, with its gradient and slots. */
    record Weight(Tensor value, Tensor gradient, List<Tensor> slots) {}

    /** One parameter after an update, with its slots. */
    record UpdatedWeight(Tensor value, List<Tensor> slots) {}

    /** The number of trees like the parameters that this rule keeps. */
    int slots();

    LearningRateSchedule rate();

    /**
     * The update of one parameter: weight, gradient and slots are all f32 or all f64.
     *
     * @param rate the learning rate, of the weight's type
     * @param step the number of this update, of the weight's type, from one on
     */
    UpdatedWeight move(Weight weight, Tensor rate, Tensor step);

    /** The state before the first update: zeros, which take almost no memory, and masters. */
    default <P> State<P> start(P params) {
        var values = Tensorwise.list(params);
        var names = Tensorwise.names(params);
        var types = new ArrayList<Type>();
        for (int i = 0; i < values.size(); i++) {
            types.add(values.get(i).type().with(wide(names.get(i), values.get(i))));
        }
        P zeros = Tensorwise.rebuild(params, Array.zeros(types));
        var masters =
                values.stream()
                        .filter(Optimizer::isNarrow)
                        .map(t -> t.cast(t.dtype().compute()))
                        .toList();
        return new State<>(
                Array.scalar(0L),
                IntStream.range(0, slots()).mapToObj(_ -> zeros).toList(),
                masters);
    }

    private static boolean isNarrow(Tensor t) {
        return t.dtype().compute() != t.dtype();
    }

    /** The type in which a weight is updated. */
    private static DType wide(String name, Tensor weight) {
        if (weight.dtype().isFloat()) return weight.dtype().compute();
        throw new IllegalArgumentException(
                ("the parameter %s is %s; an optimizer moves floats, so keep it outside the"
                                + " parameters")
                        .formatted(name, weight.type()));
    }

    /** One update of all parameters. */
    default <P> Updated<P> update(P params, P gradients, State<P> state) {
        var values = Tensorwise.list(params);
        var names = Tensorwise.names(params);
        long narrow = values.stream().filter(Optimizer::isNarrow).count();
        if (narrow != state.masters.size()) {
            throw new IllegalArgumentException(
                    ("%s weights have sixteen bits, and the state holds masters of %s; begin with"
                                    + " the state that start() makes of these parameters")
                            .formatted(narrow, state.masters.size()));
        }
        var slopes = Tensorwise.list(gradients);
        var before = state.slots.stream().map(Tensorwise::list).toList();
        var after = new ArrayList<Tensor>();
        var masters = new ArrayList<Tensor>();
        var kept = state.slots.stream().map(_ -> new ArrayList<Tensor>()).toList();
        var clocks = new EnumMap<DType, Clock>(DType.class);
        for (int i = 0; i < values.size(); i++) {
            int at = i;
            var value = values.get(i);
            var wide = wide(names.get(i), value);
            var clock = clocks.computeIfAbsent(wide, t -> Clock.of(this, state.step, t));
            var own = before.stream().map(slot -> slot.get(at)).toList();
            var master = isNarrow(value) ? state.masters.get(masters.size()) : value;
            var weight = new Weight(master, slopes.get(i).cast(wide), own);
            var moved = move(weight, clock.rate, clock.step);
            if (isNarrow(value)) masters.add(moved.value);
            after.add(moved.value.cast(value.dtype()));
            for (int j = 0; j < kept.size(); j++) kept.get(j).add(moved.slots.get(j));
        }
        var slots = new ArrayList<P>();
        for (var slot : kept) slots.add(Tensorwise.rebuild(params, slot));
        return new Updated<>(
                Tensorwise.rebuild(params, after), new State<>(state.step.add(1), slots, masters));
    }

    /** The learning rate and the number of an update, in one type. */
    record Clock(Tensor rate, Tensor step) {
        private static Clock of(Optimizer rule, Tensor steps, DType type) {
            var made = steps.cast(type);
            return new Clock(rule.rate().at(made), made.add(1));
        }
    }

    /** Whether weight decay applies: to matrices, not to biases and norms. */
    static boolean decays(Tensor value) {
        return value.rank() >= 2;
    }
}
