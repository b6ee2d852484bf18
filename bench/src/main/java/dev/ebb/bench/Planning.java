package dev.ebb.bench;

import dev.ebb.Ebb;
import dev.ebb.Fn;
import dev.ebb.cpu.Cpu;
import dev.ebb.ir.Shape;
import dev.ebb.nn.Seed;
import dev.ebb.nn.model.Gpt2;
import dev.ebb.plan.Budget;
import dev.ebb.plan.Curve;
import dev.ebb.plan.OverBudgetException;
import dev.ebb.plan.cost.Roofline;
import dev.ebb.plan.schedule.Disk;
import dev.ebb.plan.schedule.Host;
import dev.ebb.plan.schedule.Problem;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import java.nio.file.Path;
import java.util.List;

/**
 * Measures the time of planning and the quality of plans: the gradient of a GPT of several depths
 * at budgets from just below keeping everything to the smallest, with and without a disk.
 */
public final class Planning {
    private static final int CONTEXT = 256;
    private static final int BATCH = 2;

    private Planning() {}

    private record Task(Gpt2 model, Tensor ids, Tensor targets) {}

    /** The arguments are numbers of layers. */
    public static void main(String[] args) {
        var layers = args.length > 0 ? args : new String[] {"12", "48", "85"};
        for (String count : layers) plan(Integer.parseInt(count));
    }

    private static void plan(int layers) {
        var model = Gpt2.of(Gpt2.Config.of(256, CONTEXT, 64, layers, 4), new Seed(1));
        var ids = Array.of(Shape.of(BATCH, CONTEXT), new long[BATCH * CONTEXT]);
        Fn<Task, Ebb.ValueAndGrad<Gpt2>> f =
                t -> Ebb.valueAndGrad((Gpt2 m) -> m.loss(t.ids(), t.targets())).apply(t.model());
        try (var cpu = new Cpu();
                var compiled = Ebb.compile(f).on(cpu)) {
            var problem = compiled.plan(new Task(model, ids, ids)).schedule().problem();
            System.out.printf("%d layers, %d kernels%n", layers, problem.graph().nodes().size());
            plan(problem);
            System.out.println("  with a disk");
            var disk = Disk.in(Path.of(System.getProperty("java.io.tmpdir")), 4L << 30);
            plan(problem.with(List.of(disk)));
            System.out.println("  with a pool of host memory and a disk");
            plan(problem.with(List.of(Host.memory(1L << 30), disk)));
        }
    }

    private static void plan(Problem problem) {
        for (int percent : new int[] {99, 75, 50, 25}) {
            var curve = new Curve(problem, Roofline.typical(), Curve.Measure.ARENA);
            long start = System.nanoTime();
            try {
                var plan = curve.at(Budget.share(percent / 100.0));
                System.out.printf(
                        "  %d %%: %.2f s to plan, time %.5f of computing all once, gap %.2f %%%n",
                        percent,
                        (System.nanoTime() - start) / 1e9,
                        plan.cost() / curve.storeAllCost(),
                        100 * plan.gap());
            } catch (OverBudgetException e) {
                System.out.printf(
                        "  %d %%: %.2f s to refuse%n", percent, (System.nanoTime() - start) / 1e9);
            }
        }
        var curve = new Curve(problem, Roofline.typical(), Curve.Measure.ARENA);
        long start = System.nanoTime();
        double least = (double) curve.leastBytes() / curve.storeAllBytes();
        System.out.printf(
                "  least %.1f %%: %.2f s%n", 100 * least, (System.nanoTime() - start) / 1e9);
    }
}
