package dev.ebb.exec;

import dev.ebb.ir.Buffer;
import dev.ebb.ir.Graph;
import dev.ebb.ir.Memory;
import dev.ebb.ir.Table;
import dev.ebb.ir.Value;
import dev.ebb.plan.Binding;
import dev.ebb.plan.Inplace;
import dev.ebb.plan.Layout;
import dev.ebb.plan.Problem;
import dev.ebb.plan.Settle;
import dev.ebb.plan.Sizes;
import dev.ebb.plan.StoreAll;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;

/**
 * A graph inside a control kernel, laid out in that kernel's workspace; some parameters stay where
 * they are.
 */
final class Nested {
    private final Layout layout;
    private final List<Value> elsewhere;

    /**
     * The first {@code outside} parameters are read where they lie; the next {@code carried} are
     * replaced where they lie by the results of the same number; the others are fed for every run.
     */
    Nested(Graph body, int outside, int carried, Device device) {
        elsewhere = body.params().subList(0, outside + carried);
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
        var problem = Settle.of(new Problem(Scratch.add(body, device), bindings, sizes));
        for (int i = 0; i < carried; i++) {
            var result = body.results().get(i);
            there.add(result);
            there.addAll(
                    Inplace.chain(problem.graph().nodes(), elsewhere.get(outside + i), result));
        }
        layout = Layout.of(new StoreAll().plan(problem, _ -> 1));
    }

    long bytes() {
        return layout.arenaBytes();
    }

    Steps bind(Session session, Memory memory, List<Buffer> outside) {
        var known = new Table<Value, Buffer>();
        for (int i = 0; i < elsewhere.size(); i++) known.put(elsewhere.get(i), outside.get(i));
        return new Steps(layout, session, memory, known, new Carrier(layout));
    }
}
