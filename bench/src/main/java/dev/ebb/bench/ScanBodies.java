package dev.ebb.bench;

import dev.ebb.Ebb;
import dev.ebb.Fn;
import dev.ebb.Loop;
import dev.ebb.Next;
import dev.ebb.Tensorwise;
import dev.ebb.cpu.Cpu;
import dev.ebb.ir.Shape;
import dev.ebb.nn.Block;
import dev.ebb.nn.Seed;
import dev.ebb.nn.model.Gpt2;
import dev.ebb.plan.Budget;
import dev.ebb.plan.Plan;
import dev.ebb.plan.schedule.Disk;
import dev.ebb.plan.schedule.Host;
import dev.ebb.plan.schedule.Place;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The predicted time of a scan over transformer blocks beside that of the same blocks unrolled,
 * both in a half and a quarter of the memory that the scan takes with everything kept. Then the
 * same with a place to offload to: the unrolled program may offload any value, the scan only the
 * states between its iterations. Nothing is run.
 *
 * <p>Arguments: numbers of blocks; without any, 8 and 12.
 */
public final class ScanBodies {
    private static final int WIDTH = 128;
    private static final int LENGTH = 64;
    private static final int SEQUENCES = 64;

    private ScanBodies() {}

    private record Model<B>(B blocks, Tensor x) {}

    public static void main(String[] args) {
        try (var cpu = new Cpu(Workload.THREADS)) {
            for (var layers : args.length > 0 ? args : new String[] {"8", "12"})
                compare(Integer.parseInt(layers), cpu);
        }
    }

    private static void compare(int layers, Cpu cpu) {
        var blocks = Gpt2.of(Gpt2.Config.of(8, LENGTH, WIDTH, layers, 2), new Seed(1)).blocks();
        var x = Array.of(Shape.of(SEQUENCES, LENGTH, WIDTH), new float[SEQUENCES * LENGTH * WIDTH]);
        var apart = new Model<>(blocks, x);
        var stacked = new Model<>(stacked(blocks), x);
        long all = plan(ScanBodies::scanned, stacked, Budget.unlimited(), cpu).peakBytes();
        System.out.printf("%d blocks, everything kept: %s%n", layers, Budget.show(all));
        for (int share : new int[] {2, 4}) {
            var budget = Budget.bytes(all / share);
            double without = plan(ScanBodies::unrolled, apart, budget, cpu).cost();
            double scan = plan(ScanBodies::scanned, stacked, budget, cpu).cost();
            System.out.printf(
                    "  1/%d of it: the scan takes %.3f of the unrolled time%n",
                    share, scan / without);
            for (var place : places()) {
                var with = budget.with(place);
                double moved = plan(ScanBodies::unrolled, apart, with, cpu).cost();
                double scanMoved = plan(ScanBodies::scanned, stacked, with, cpu).cost();
                System.out.printf(
                        "    with %s: the unrolled program %.3f of its time without, the scan %.3f"
                                + " of the unrolled time%n",
                        place instanceof Disk ? "a disk" : "a pool of host memory",
                        moved / without,
                        scanMoved / moved);
            }
        }
    }

    private static List<Place> places() {
        var folder = Path.of(System.getProperty("java.io.tmpdir"));
        return List.of(Host.memory(1L << 30), Disk.in(folder, 1L << 30));
    }

    private static Block stacked(List<Block> blocks) {
        var tensors = blocks.stream().map(Tensorwise::list).toList();
        return Tensorwise.rebuild(
                blocks.getFirst(),
                IntStream.range(0, tensors.getFirst().size())
                        .mapToObj(
                                i -> Tensors.stack(tensors.stream().map(t -> t.get(i)).toList(), 0))
                        .toList());
    }

    private static Tensor scanned(Model<Block> m) {
        return Loop.scan(
                        m.x,
                        m.blocks,
                        (Tensor x, Block b) -> new Next<>(b.apply(x), List.<Tensor>of()))
                .carry()
                .square()
                .mean();
    }

    private static Tensor unrolled(Model<List<Block>> m) {
        var x = m.x;
        for (var block : m.blocks) x = block.apply(x);
        return x.square().mean();
    }

    private static <M> Plan plan(Fn<M, Tensor> f, M at, Budget budget, Cpu cpu) {
        try (var compiled = Ebb.compile(Ebb.valueAndGrad(f)).within(budget).on(cpu)) {
            return compiled.plan(at);
        }
    }
}
