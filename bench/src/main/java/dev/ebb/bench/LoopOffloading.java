package dev.ebb.bench;

import dev.ebb.Ebb;
import dev.ebb.Fn;
import dev.ebb.Loop;
import dev.ebb.cpu.Cpu;
import dev.ebb.ir.DType;
import dev.ebb.ir.Type;
import dev.ebb.plan.Binomial;
import dev.ebb.plan.Budget;
import dev.ebb.plan.schedule.Disk;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Key;
import dev.ebb.tensor.Tensor;

import java.nio.file.Path;
import java.util.Arrays;

/**
 * Times the gradient of a loop of 200 iterations over a state of 4 MiB, of which three states fit
 * in memory and forty on the disk: with little arithmetic per iteration, and with iterations that
 * use all cores.
 */
public final class LoopOffloading {
    private static final int ROUNDS = 200;
    private static final int RUNS = 7;

    private LoopOffloading() {}

    public static void main(String[] args) {
        var w = Key.of(3).uniform(Type.of(DType.F32, 1024, 64)).mul(0.01);
        var u = Key.of(4).uniform(Type.of(DType.F32, 64, 1024)).mul(0.01);
        time("sine", v -> Loop.repeat(ROUNDS, v, c -> c.sin().mul(0.99).add(0.01)).sum());
        time(
                "products",
                v -> Loop.repeat(ROUNDS, v, c -> c.matmul(w).matmul(u).tanh().add(c)).sum());
    }

    private static void time(String name, Fn<Tensor, Tensor> f) {
        var x = (Array) Key.of(2).uniform(Type.of(DType.F32, 1024, 1024));
        var folder = Path.of(System.getProperty("java.io.tmpdir"));
        var budget = Budget.unlimited().with(Disk.in(folder, 1L << 30));
        try (var cpu = new Cpu();
                var gradient =
                        Ebb.compile(Ebb.grad(f)).within(budget).on(cpu).with(new Binomial(3, 40))) {
            var seconds = new double[RUNS];
            for (int i = 0; i < RUNS; i++) {
                long start = System.nanoTime();
                gradient.apply(x);
                seconds[i] = (System.nanoTime() - start) / 1e9;
            }
            Arrays.sort(seconds);
            System.out.printf(
                    "%s: best %.3f s, median %.3f s; %s%n",
                    name,
                    seconds[0],
                    seconds[RUNS / 2],
                    Budget.show(gradient.report().measuredBytes()));
        }
    }
}
