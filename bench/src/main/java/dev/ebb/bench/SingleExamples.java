package dev.ebb.bench;

import dev.ebb.By;
import dev.ebb.Ebb;
import dev.ebb.cpu.Cpu;
import dev.ebb.ir.DType;
import dev.ebb.ir.Type;
import dev.ebb.tensor.Key;
import dev.ebb.tensor.Tensor;

import java.util.List;
import java.util.Locale;

/**
 * Times the gradients of 1,000 single examples by {@code vmap} against the gradient of their sum,
 * alternately, and prints the best time of each and their ratio. Argument: the rounds, by default
 * 15.
 */
public final class SingleExamples {
    private static final int EXAMPLES = 1000;

    private SingleExamples() {}

    /** A classifier of sequences of 32 vectors. */
    record Net(Tensor in, Tensor hidden, Tensor out) {
        /** The loss of sequences [..., 32, 32]. */
        Tensor loss(Tensor x) {
            var h = x.matmul(in).tanh().matmul(hidden).tanh();
            var scores = h.mean(List.of(-2), false).matmul(out);
            return scores.logSoftmax(-1).square().sum(List.of(-1), false);
        }
    }

    private static Tensor noise(long seed, int... dims) {
        return Key.of(seed).normal(Type.of(DType.F32, dims)).mul(0.2);
    }

    public static void main(String[] args) {
        int rounds = args.length > 0 ? Integer.parseInt(args[0]) : 15;
        var net = new Net(noise(1, 32, 64), noise(2, 64, 64), noise(3, 64, 10));
        var x = noise(4, EXAMPLES, 32, 32);
        try (var cpu = new Cpu(Workload.THREADS);
                var sum = Ebb.compile(Ebb.grad((Net n, Tensor t) -> n.loss(t).sum())).on(cpu);
                var each = Ebb.compile(Ebb.vmap(Ebb.grad(Net::loss), By.second())).on(cpu)) {
            double sumBest = Double.MAX_VALUE;
            double eachBest = Double.MAX_VALUE;
            for (int i = 0; i < rounds; i++) {
                long start = System.nanoTime();
                sum.apply(net, x);
                long middle = System.nanoTime();
                each.apply(net, x);
                sumBest = Math.min(sumBest, (middle - start) / 1e6);
                eachBest = Math.min(eachBest, (System.nanoTime() - middle) / 1e6);
            }
            System.out.printf(
                    Locale.ROOT,
                    "gradient of the sum %.1f ms, gradients of each %.1f ms, %.2f times%n",
                    sumBest,
                    eachBest,
                    eachBest / sumBest);
        }
    }
}
