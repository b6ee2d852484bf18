package dev.ebb.bench;

import dev.ebb.Ebb;
import dev.ebb.Fn;
import dev.ebb.cpu.Cpu;
import dev.ebb.exec.program.Program;
import dev.ebb.exec.timing.Timed;
import dev.ebb.ir.Graph;
import dev.ebb.ir.Node;
import dev.ebb.ir.Shape;
import dev.ebb.ir.Value;
import dev.ebb.nn.Seed;
import dev.ebb.nn.model.Gpt2;
import dev.ebb.pass.Fuse;
import dev.ebb.pass.Simplify;
import dev.ebb.plan.Budget;
import dev.ebb.plan.Curve;
import dev.ebb.plan.Plan;
import dev.ebb.plan.cost.Roofline;
import dev.ebb.plan.schedule.Cost;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;
import dev.ebb.trace.Trace;
import dev.ebb.trace.Tree;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;

/**
 * Measures the time that a memory budget costs, for the gradient of a GPT of twelve layers. The
 * budgets are a half and a quarter of the bytes that an eager framework keeps for the backward
 * pass, plus everything that is not an activation. Plans run alternately, and the best time of each
 * counts.
 */
public final class Budgets {
    private Budgets() {}

    private record Task(Gpt2 model, Tensor ids, Tensor targets) {}

    public static void main(String[] args) {
        int rounds = args.length > 0 ? Integer.parseInt(args[0]) : 12;
        int batch = args.length > 1 ? Integer.parseInt(args[1]) : 4;
        var model = Gpt2.of(Gpt2.Config.of(256, 256, 256, 12, 4), new Seed(1));
        var task = new Task(model, tokens(1, batch), tokens(2, batch));
        Fn<Task, Ebb.ValueAndGrad<Gpt2>> f =
                t -> Ebb.valueAndGrad((Gpt2 m) -> m.loss(t.ids(), t.targets())).apply(t.model());
        try (var cpu = new Cpu();
                var compiled = Ebb.compile(f).on(cpu).costing(cost(args, cpu))) {
            var curve = compiled.plan(task).curve();
            var traced = traced(f, task);
            long eager = activations(Fuse.unfused(Simplify.of(traced)));
            long fused = activations(curve.problem().graph());
            long rest = curve.storeAllBytes() - fused;
            System.out.printf(
                    "activations: eager %s, after fusing alone %s (%.0f %%), free of charge; all"
                            + " else %s%n",
                    Budget.show(eager),
                    Budget.show(fused),
                    100.0 * fused / eager,
                    Budget.show(rest));
            var plans = new ArrayList<Plan>();
            plans.add(curve.at(Budget.unlimited()));
            for (double share : new double[] {0.5, 0.35, 0.25})
                plans.add(plan(curve, rest, eager, share));
            measure(plans, cpu, rest, eager, rounds, Tree.flatten(task));
        }
    }

    /**
     * The cost by the third argument: {@code timed}, measured on this machine, or the fixed
     * roofline.
     */
    private static Cost cost(String[] args, Cpu cpu) {
        if (args.length < 3 || !args[2].equals("timed")) return Roofline.typical();
        return args.length > 3 ? Timed.on(cpu, Path.of(args[3])) : Timed.on(cpu);
    }

    private static Plan plan(Curve curve, long rest, long eager, double share) {
        return curve.at(Budget.bytes(Math.max(curve.leastBytes(), rest + (long) (share * eager))));
    }

    private static Array tokens(long seed, int batch) {
        var data = new long[batch * 256];
        for (int i = 0; i < data.length; i++) data[i] = new Seed(seed).below(256, i);
        return Array.of(Shape.of(batch, 256), data);
    }

    private static Graph traced(Fn<Task, Ebb.ValueAndGrad<Gpt2>> f, Task task) {
        var types = Tree.flatten(task).stream().map(Tensor::type).toList();
        return Trace.of(in -> Tree.flatten(f.apply(Tree.unflatten(task, in))), types).graph();
    }

    /** The bytes that the forward half computes and the backward half reads. */
    private static long activations(Graph graph) {
        var forward = new HashSet<Value>();
        var kept = new HashSet<Value>();
        for (Node node : graph.nodes()) {
            if (!node.reverse()) forward.addAll(node.outputs());
            else node.inputs().stream().filter(forward::contains).forEach(kept::add);
        }
        return kept.stream().mapToLong(v -> v.type().bytes()).sum();
    }

    private static void measure(
            List<Plan> plans, Cpu cpu, long rest, long eager, int rounds, List<Tensor> arguments) {
        var best = new double[plans.size()];
        java.util.Arrays.fill(best, Double.MAX_VALUE);
        for (int r = 0; r < rounds; r++) {
            for (int p = 0; p < plans.size(); p++) {
                try (var program =
                        new Program(plans.get(p).layout(), cpu, plans.get(p).workers())) {
                    for (int warm = 0; warm < 2; warm++) {
                        for (int i = 0; i < arguments.size(); i++) {
                            var to = program.param(i);
                            var from = ((Array) arguments.get(i)).data();
                            java.lang.foreign.MemorySegment.copy(
                                    from.segment(), 0, to.segment(), 0, to.bytes());
                        }
                        best[p] = Math.min(best[p], program.run().seconds());
                    }
                }
            }
        }
        for (int p = 0; p < plans.size(); p++) {
            var plan = plans.get(p);
            System.out.printf(
                    "%s in all, activations %.0f %% of eager: %.1f ms, %.3f times all of it;"
                            + " predicted %.1f ms (%+.0f %%)%n",
                    Budget.show(plan.peakBytes()),
                    100.0 * (plan.peakBytes() - rest) / eager,
                    best[p] * 1e3,
                    best[p] / best[0],
                    plan.cost() * 1e3,
                    100 * (plan.cost() / best[p] - 1));
        }
    }
}
