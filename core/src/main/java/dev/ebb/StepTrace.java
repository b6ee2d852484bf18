package dev.ebb;

import dev.ebb.exec.program.Arena;
import dev.ebb.exec.program.Program;
import dev.ebb.exec.program.SharedLayout;
import dev.ebb.ir.Graph;
import dev.ebb.loop.ProgramPlanner;
import dev.ebb.plan.Budget;
import dev.ebb.plan.OverBudgetException;
import dev.ebb.plan.Plan;
import dev.ebb.plan.TradeOff;
import dev.ebb.plan.schedule.Binding;
import dev.ebb.plan.schedule.Layout;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.op.Store;
import dev.ebb.trace.Trace;
import dev.ebb.trace.Tree;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/**
 * A traced step: a graph from state and input to next state and output.
 *
 * @param form a state without data: how states are built
 * @param output an output without data
 * @param states how many tensors a state has
 * @param inputs how many tensors an input has
 */
record StepTrace<S, R>(
        Graph graph, S form, R output, int states, int inputs, List<Tensor> captured) {

    static <S, B, R> StepTrace<S, R> of(Fn2<S, B, Next<S, R>> step, S initial, B example) {
        var state = Tree.flatten(initial);
        var input = Tree.flatten(example);
        int states = state.size();
        var types = new ArrayList<>(state.stream().map(Tensor::type).toList());
        types.addAll(input.stream().map(Tensor::type).toList());
        var forms = new ArrayList<S>();
        var outputs = new ArrayList<R>();
        var trace =
                Trace.of(
                        in -> {
                            var before = in.subList(0, states);
                            forms.add(Tree.unflatten(initial, before));
                            var next =
                                    step.apply(
                                            forms.getFirst(),
                                            Tree.unflatten(example, in.subList(states, in.size())));
                            outputs.add(next.out());
                            return results(before, forms.getFirst(), next);
                        },
                        types);
        return new StepTrace<>(
                trace.graph(),
                forms.getFirst(),
                outputs.getFirst(),
                states,
                input.size(),
                trace.captured());
    }

    private static <S, R> List<Tensor> results(List<Tensor> before, S form, Next<S, R> next) {
        if (!Tree.shapeOf(next.state()).equals(Tree.shapeOf(form))) {
            throw new IllegalArgumentException(
                    "a step must return a state of the same structure as its argument");
        }
        var after = Tree.flatten(next.state());
        var results = new ArrayList<Tensor>();
        for (int i = 0; i < before.size(); i++) {
            @SuppressWarnings("ReferenceEquality") // an equal tensor is still another tensor
            boolean same = after.get(i) == before.get(i);
            results.add(same ? before.get(i) : before.get(i).apply(new Store(), after.get(i)));
        }
        results.addAll(Tree.flatten(next.out()));
        return results;
    }

    /**
     * The state is replaced in place, except for tensors that the step returns unchanged, such as
     * frozen weights; inputs may be overwritten; captured arrays are kept.
     */
    private List<Binding> bindings() {
        var bindings = new ArrayList<Binding>();
        for (int i = 0; i < graph.params().size(); i++) {
            boolean stays =
                    i < states
                            ? graph.results().get(i).equals(graph.params().get(i))
                            : i >= states + inputs;
            bindings.add(
                    stays
                            ? new Binding.Kept()
                            : i < states ? new Binding.Replaced(i) : new Binding.Consumed());
        }
        return bindings;
    }

    /**
     * The parameters that stay in memory from step to step: the state, then the captured arrays.
     */
    List<Integer> carried() {
        var places = new ArrayList<Integer>();
        for (int i = 0; i < graph.params().size(); i++)
            if (i < states || i >= states + inputs) places.add(i);
        return places;
    }

    Plan plan(ProgramPlanner planner) {
        return planner.plan(graph, bindings());
    }

    /**
     * A program for each of these steps, all in one arena: the state, and arrays that several steps
     * close over, are stored once.
     */
    static <S, R> List<Program> programs(
            List<StepTrace<S, R>> traces, List<Plan> plans, ProgramPlanner planner) {
        var device = planner.device();
        var first = plans.getFirst();
        if (plans.size() == 1) return List.of(new Program(first.layout(), device, first.workers()));
        var numbers = new IdentityHashMap<Tensor, Integer>();
        var shared = traces.stream().map(trace -> trace.shared(numbers)).toList();
        var layouts = SharedLayout.of(plans.stream().map(Plan::layout).toList(), shared);
        var arena = Arena.of(layouts, device, workers(layouts, plans, planner));
        return layouts.stream().map(layout -> new Program(layout, arena)).toList();
    }

    /** For each parameter its number among the parameters that all steps share; -1 for an input. */
    private List<Integer> shared(Map<Tensor, Integer> numbers) {
        var own = new ArrayList<Integer>();
        for (int i = 0; i < states; i++) own.add(i);
        own.addAll(Collections.nCopies(inputs, -1));
        for (Tensor array : captured) {
            int next = states + numbers.size();
            own.add(numbers.computeIfAbsent(array, _ -> next));
        }
        return own;
    }

    /** The number of workers for which every plan has memory beside the largest of the layouts. */
    private static int workers(List<Layout> layouts, List<Plan> plans, ProgramPlanner planner) {
        long arena = layouts.stream().mapToLong(Layout::arenaBytes).max().orElseThrow();
        long bytes =
                plans.stream()
                        .mapToLong(p -> planner.budget().resolve(p.storeAllBytes()))
                        .min()
                        .orElseThrow();
        int workers = plans.stream().mapToInt(Plan::workers).min().orElseThrow();
        while (true) {
            long all = arena + Arena.ownBytes(layouts, planner.device(), workers);
            if (all <= bytes) return workers;
            if (workers-- > 1) continue;
            throw new OverBudgetException(
                    ("steps for %s kinds of input need %s in one arena, but the budget is %s; raise"
                                    + " the budget to that, or use smaller inputs")
                            .formatted(plans.size(), Budget.show(all), Budget.show(bytes)),
                    all);
        }
    }

    TradeOff tradeOff(ProgramPlanner planner) {
        return planner.tradeOff(graph, bindings());
    }

    /** The arrays that the step closes over. */
    List<Array> data() {
        return PreparedProgram.data(captured);
    }
}
