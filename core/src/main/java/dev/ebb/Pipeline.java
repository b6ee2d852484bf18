package dev.ebb;

import dev.ebb.exec.Device;
import dev.ebb.exec.Program;
import dev.ebb.exec.Scratch;
import dev.ebb.ir.Graph;
import dev.ebb.pass.Fuse;
import dev.ebb.pass.Simplify;
import dev.ebb.plan.Binding;
import dev.ebb.plan.Cost;
import dev.ebb.plan.Layout;
import dev.ebb.plan.Planner;
import dev.ebb.plan.Problem;

import java.util.List;

/** The line from a traced graph to a program that runs. */
record Pipeline(Planner planner, Cost cost, Device device) {

    Program compile(Graph traced, List<Binding> bindings) {
        var graph = Scratch.add(Fuse.of(Simplify.of(traced)), device);
        var schedule = planner.plan(new Problem(graph, bindings), cost);
        return new Program(Layout.of(schedule), device);
    }
}
