package dev.ebb.bench;

import dev.ebb.Ebb;
import dev.ebb.Fn;
import dev.ebb.Reversible;
import dev.ebb.Tensorwise;
import dev.ebb.cpu.Cpu;
import dev.ebb.exec.program.Program;
import dev.ebb.ir.Shape;
import dev.ebb.nn.Activation;
import dev.ebb.nn.FeedForward;
import dev.ebb.nn.Init;
import dev.ebb.nn.LayerNorm;
import dev.ebb.nn.Seed;
import dev.ebb.plan.Budget;
import dev.ebb.plan.Plan;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Times the gradient of stacks of reversible blocks in the smallest memory, in which no stream is
 * kept, against that of keeping everything. Each branch is a norm and a feed-forward half with an
 * inner width of four times the width. Arguments: rounds, rows, width, then depths; by default 5,
 * 512, 128 and 8, 32, 128.
 */
public final class ReversibleStacks {
    private ReversibleStacks() {}

    private record Branch(LayerNorm norm, FeedForward.Plain wide) {
        static Branch of(int width, Seed seed) {
            var init = Init.normal(0.02);
            return new Branch(
                    LayerNorm.of(width, 1e-5),
                    FeedForward.plain(width, 4 * width, Activation.GELU_TANH, init, init, seed));
        }

        Tensor apply(Tensor x) {
            return wide.apply(norm.apply(x));
        }
    }

    private record Net(List<Branch> f, List<Branch> g, Tensor x) {
        Tensor loss() {
            var blocks =
                    IntStream.range(0, f.size())
                            .mapToObj(i -> Reversible.block(f.get(i)::apply, g.get(i)::apply))
                            .toList();
            var out = Reversible.stack(blocks).apply(Reversible.Streams.of(x)).sum();
            return out.square().mean();
        }
    }

    public static void main(String[] args) {
        int rounds = args.length > 0 ? Integer.parseInt(args[0]) : 5;
        int rows = args.length > 1 ? Integer.parseInt(args[1]) : 512;
        int width = args.length > 2 ? Integer.parseInt(args[2]) : 128;
        var depths =
                args.length > 3
                        ? Arrays.stream(args).skip(3).mapToInt(Integer::parseInt).toArray()
                        : new int[] {8, 32, 128};
        try (var cpu = new Cpu()) {
            for (int depth : depths) measure(depth, rounds, rows, width, cpu);
        }
    }

    private static void measure(int depth, int rounds, int rows, int width, Cpu cpu) {
        var net =
                new Net(
                        branches(depth, width, new Seed(1)),
                        branches(depth, width, new Seed(2)),
                        noise(rows, width));
        Fn<Net, Ebb.ValueAndGrad<Net>> f = Ebb.valueAndGrad((Fn<Net, Tensor>) Net::loss);
        try (var compiled = Ebb.compile(f).on(cpu)) {
            long start = System.nanoTime();
            var curve = compiled.plan(net).curve();
            var all = curve.at(Budget.bytes(curve.storeAllBytes()));
            var least = curve.at(Budget.bytes(curve.leastBytes()));
            double planned = (System.nanoTime() - start) / 1e9;
            var arguments = Tensorwise.list(net).stream().map(t -> (Array) t).toList();
            long weights = arguments.stream().mapToLong(a -> a.type().bytes()).sum();
            var best = new double[] {Double.MAX_VALUE, Double.MAX_VALUE};
            for (int r = 0; r < rounds; r++) {
                best[0] = Math.min(best[0], seconds(all, arguments, cpu));
                best[1] = Math.min(best[1], seconds(least, arguments, cpu));
            }
            System.out.printf(
                    "%d blocks: beside weights and the device's own, all %s, least %s; %.1f ms and"
                            + " %.1f ms, %.2f times (predicted %.2f); planned in %.1f s%n",
                    depth,
                    Budget.show(all.peakBytes() - weights - all.workerBytes()),
                    Budget.show(least.peakBytes() - weights - least.workerBytes()),
                    best[0] * 1e3,
                    best[1] * 1e3,
                    best[1] / best[0],
                    least.cost() / all.cost(),
                    planned);
        }
    }

    private static double seconds(Plan plan, List<Array> arguments, Cpu cpu) {
        double best = Double.MAX_VALUE;
        try (var program = new Program(plan.layout(), cpu, plan.workers())) {
            for (int warm = 0; warm < 3; warm++) {
                for (int i = 0; i < arguments.size(); i++)
                    program.write(i, arguments.get(i).data().segment());
                best = Math.min(best, program.run().seconds());
            }
        }
        return best;
    }

    private static List<Branch> branches(int depth, int width, Seed seed) {
        return IntStream.range(0, depth).mapToObj(i -> Branch.of(width, seed.of(i))).toList();
    }

    private static Array noise(int rows, int width) {
        return Init.normal(1).of(Shape.of(rows, width), new Seed(3));
    }
}
