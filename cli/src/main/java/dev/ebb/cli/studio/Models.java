package dev.ebb.cli.studio;

import dev.ebb.exec.Category;
import dev.ebb.plan.Budget;
import dev.ebb.plan.Plan;
import dev.ebb.plan.TradeOff;

import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;

/** Where plans come from. */
public interface Models {

    /**
     * A training step, planned with memory enough.
     *
     * @param within the same step in a budget, with the same places beside it
     * @param tradeOff what memory buys with these places
     * @param names what the first parameters of its graph are called
     */
    record Step(
            Plan plan,
            Function<Budget, Plan> within,
            Supplier<TradeOff> tradeOff,
            List<String> names) {
        public Step {
            names = List.copyOf(names);
        }

        /** A step that is planned as it is: its own curve has the plans in all budgets. */
        public Step(Plan plan, List<String> names) {
            this(plan, plan.curve()::at, () -> TradeOff.of(plan.curve()), names);
        }
    }

    /**
     * What the memory of a model is for, where everything is kept.
     *
     * @param bytes the most of each category at once
     * @param training all that training takes
     * @param use all that computing the logits of a batch takes
     * @param scores what attention would keep besides, were its scores kept
     */
    record Memory(Map<Category, Long> bytes, long training, long use, long scores) {
        public Memory {
            bytes = Map.copyOf(bytes);
        }
    }

    Step step(ModelKey key);

    Memory memory(ModelKey key);
}
