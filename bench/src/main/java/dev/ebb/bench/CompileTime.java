package dev.ebb.bench;

import dev.ebb.Ebb;
import dev.ebb.Fn;
import dev.ebb.cpu.Cpu;
import dev.ebb.ir.Shape;
import dev.ebb.nn.Seed;
import dev.ebb.nn.model.Gpt2;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

/**
 * Measures the time in which a fresh JVM traces, differentiates, plans and binds a transformer of
 * twelve layers.
 */
public final class CompileTime {
    private static final int CONTEXT = 256;
    private static final int BATCH = 8;

    private CompileTime() {}

    private record Task(Gpt2 model, Tensor ids, Tensor targets) {}

    public static void main(String[] args) {
        var model = Gpt2.of(Gpt2.Config.of(256, CONTEXT, 256, 12, 4), new Seed(1));
        var ids = Array.of(Shape.of(BATCH, CONTEXT), new long[BATCH * CONTEXT]);
        Fn<Task, Ebb.ValueAndGrad<Gpt2>> f =
                t -> Ebb.valueAndGrad((Gpt2 m) -> m.loss(t.ids(), t.targets())).apply(t.model());
        long start = System.nanoTime();
        try (var cpu = new Cpu();
                var compiled = Ebb.compile(f).on(cpu)) {
            var plan = compiled.plan(new Task(model, ids, ids));
            System.out.printf(
                    "a transformer of 12 layers: %d kernels, compiled in %.2f s%n",
                    plan.schedule().problem().graph().nodes().size(),
                    (System.nanoTime() - start) / 1e9);
        }
    }
}
