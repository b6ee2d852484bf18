package dev.ebb.cli.studio;

import dev.ebb.exec.Category;
import dev.ebb.plan.Budget;
import dev.ebb.plan.Plan;
import dev.ebb.plan.TradeOff;

import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;

/** The studio's interface to planning, implemented with the planner of the commands. */
public interface PlanningBackend {

    /**
     * A training step that is planned without a limit on memory.
     *
     * @param within plans the same step within a budget, with the same places to offload to
     * @param tradeOff the curve of time against memory with these places
     * @param names the names of the first parameters of its graph
     */
    record Step(
            Plan plan,
            Function<Budget, Plan> within,
            Supplier<TradeOff> tradeOff,
            List<String> names) {
        public Step {
            names = List.copyOf(names);
        }

        /** A step whose own curve has the plans at all budgets. */
        public Step(Plan plan, List<String> names) {
            this(plan, plan.curve()::at, () -> TradeOff.of(plan.curve()), names);
        }
    }

    /**
     * The memory of a model if every value is kept, by category.
     *
     * @param bytes the peak of each category
     * @param training the total for training
     * @param use the total for computing the logits of a batch
     * @param scores the additional memory of attention scores if they were kept
     */
    record Memory(Map<Category, Long> bytes, long training, long use, long scores) {
        public Memory {
            bytes = Map.copyOf(bytes);
        }
    }

    Step step(ModelKey key);

    Memory memory(ModelKey key);
}
