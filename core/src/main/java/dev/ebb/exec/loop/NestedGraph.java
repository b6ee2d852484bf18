package dev.ebb.exec.loop;

import dev.ebb.exec.Device;
import dev.ebb.exec.Session;
import dev.ebb.exec.transfer.BoundTransfers;
import dev.ebb.ir.Buffer;
import dev.ebb.ir.Graph;
import dev.ebb.ir.Memory;
import dev.ebb.ir.Table;
import dev.ebb.ir.Value;
import dev.ebb.plan.StoreAll;
import dev.ebb.plan.schedule.Binding;
import dev.ebb.plan.schedule.InPlaceUpdates;
import dev.ebb.plan.schedule.Inplace;
import dev.ebb.plan.schedule.Layout;
import dev.ebb.plan.schedule.Problem;
import dev.ebb.plan.schedule.Sizes;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;

/**
 * The body of a loop or branch, laid out in the workspace of that kernel. Some of its parameters
 * are used in place, outside the workspace. It is run as written: a value that the planner decided
 * to recompute is computed by two nodes of the graph.
 */
final class NestedGraph {
    private final Layout layout;
    private final List<Value> elsewhere;

    /**
     * The first {@code outside} parameters are read in place; the next {@code carried} are replaced
     * in place by the results of the same index; the others are written before every run.
     */
    NestedGraph(Graph body, int outside, int carried, Device device) {
        elsewhere = body.params().subList(0, outside + carried);
        layout = Layout.of(new StoreAll().plan(problem(body, outside, carried, device), _ -> 1));
    }

    /** The problem that is planned: the body, without the memory outside it. */
    static Problem problem(Graph body, int outside, int carried, Device device) {
        var elsewhere = body.params().subList(0, outside + carried);
        var bindings = new ArrayList<Binding>();
        for (int i = 0; i < body.params().size(); i++) {
            bindings.add(
                    i < outside
                            ? new Binding.Kept()
                            : i < outside + carried
                                    ? new Binding.Replaced(i - outside)
                                    : new Binding.Consumed());
        }
        var there = new HashSet<>(elsewhere);
        Sizes sizes = v -> there.contains(v) ? 0 : Sizes.CACHE_LINES.of(v);
        var problem = InPlaceUpdates.of(new Problem(Scratch.add(body, device), bindings, sizes));
        for (int i = 0; i < carried; i++) {
            var result = body.results().get(i);
            there.add(result);
            there.addAll(
                    Inplace.chain(problem.graph().nodes(), elsewhere.get(outside + i), result));
        }
        return problem;
    }

    long bytes() {
        return layout.arenaBytes();
    }

    BoundSteps bind(Session session, Memory memory, List<Buffer> outside) {
        var known = new Table<Value, Buffer>();
        for (int i = 0; i < elsewhere.size(); i++) known.put(elsewhere.get(i), outside.get(i));
        return new BoundSteps(layout, session, memory, known, new BoundTransfers(layout));
    }
}
