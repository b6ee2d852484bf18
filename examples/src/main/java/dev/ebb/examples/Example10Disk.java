package dev.ebb.examples;

import dev.ebb.Ebb;
import dev.ebb.Fn;
import dev.ebb.exec.Report;
import dev.ebb.ir.Shape;
import dev.ebb.nn.Init;
import dev.ebb.nn.Seed;
import dev.ebb.plan.Budget;
import dev.ebb.plan.schedule.Disk;
import dev.ebb.tensor.Tensor;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;

/** A gradient in less memory than its values need, with the rest offloaded to a file. */
public final class Example10Disk {
    private Example10Disk() {}

    public static void main(String[] args) {
        var folder = Path.of(System.getProperty("java.io.tmpdir"));
        System.out.println(run(folder).text());
        System.out.println(curve(folder));
    }

    /** A network of square layers, and its loss. */
    record Net(List<Tensor> layers) {
        static Net of(int depth) {
            return new Net(
                    IntStream.range(0, depth).mapToObj(i -> noise(Shape.of(256, 256), i)).toList());
        }

        Tensor loss() {
            Tensor h = noise(Shape.of(32, 256), 99);
            for (var w : layers) h = h.add(h.matmul(w).tanh());
            return h.square().mean();
        }
    }

    // [disk
    static Report run(Path folder) {
        Fn<Net, Net> gradient = Ebb.grad(Net::loss);
        var net = Net.of(8);
        long least = Ebb.compile(gradient).plan(net).leastBytes();
        var budget = Budget.bytes(least * 9 / 10).with(Disk.in(folder, 64L << 20));
        try (var compiled = Ebb.compile(gradient).within(budget)) {
            compiled.apply(net);
            return compiled.report();
        }
    }

    // disk]

    // [curve
    static String curve(Path folder) {
        var disk = Budget.unlimited().with(Disk.in(folder, 64L << 20));
        var out = new StringBuilder();
        for (var line : Ebb.compile(Ebb.grad(Net::loss)).within(disk).curve(Net.of(2)).lines()) {
            var last = line.points().getLast();
            out.append(line.ways() + ": from " + line.leastBytes() + " bytes on, of which ");
            out.append(last.mix().fetched().bytes() + " come back from the disk\n");
        }
        return out.toString();
    }

    // curve]

    private static Tensor noise(Shape shape, int seed) {
        return Init.normal(0.1).of(shape, new Seed(seed));
    }
}
