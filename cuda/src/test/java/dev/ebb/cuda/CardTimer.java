package dev.ebb.cuda;

import dev.ebb.cuda.driver.Driver;
import dev.ebb.cuda.text.Recipes;
import dev.ebb.ir.DType;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Scalar;
import dev.ebb.ir.Type;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Runs kernels on random numbers and times them; memory is freed after each. */
class CardTimer {
    private static final int RUNS = 15;

    final OpenCard card;
    final Driver driver;
    final List<String> lines = new ArrayList<>();
    final List<Measured> measured = new ArrayList<>();
    final List<Long> made = new ArrayList<>();

    /**
     * The measurement of a kernel.
     *
     * @param bytes that it reads and writes at least
     */
    record Measured(String name, double milliseconds, double bytes, double flops) {}

    CardTimer(OpenCard card) {
        this.card = card;
        driver = card.driver();
    }

    static Scalar lit(double x) {
        return new Scalar.Lit(DType.F32, x);
    }

    long random(Type type) {
        long to = driver.allocate(Math.max(256, type.bytes()));
        made.add(to);
        var key = new Scalar.Lit(DType.I64, made.size());
        var bits = new Scalar.Draw(key, new Scalar.Position());
        var body =
                type.dtype().isFloat()
                        ? bits.cast(DType.F32).mul(lit(0x1p-31))
                        : new Scalar.Bin(Scalar.Fn2.AND, bits, new Scalar.Lit(DType.I32, 16383));
        var map = Kernel.Map.of(type.shape(), List.of(), body.cast(type.dtype()));
        run(map, List.of(), List.of(to), List.of(), List.of(type), Precision.F32).run();
        return to;
    }

    Runnable run(
            Kernel kernel,
            List<Long> in,
            List<Long> out,
            List<Type> inTypes,
            List<Type> outTypes,
            Precision precision) {
        var recipe =
                Recipes.of(
                                kernel,
                                inTypes.stream().map(Type::dtype).toList(),
                                outTypes.stream().map(Type::dtype).toList(),
                                precision)
                        .orElseThrow();
        long workspace = driver.allocate(Math.max(256, recipe.workspaceBytes()));
        made.add(workspace);
        long fault = driver.allocate(16);
        made.add(fault);
        driver.zero(fault, 16, card.stream());
        return card.bind(recipe, new OperandAddresses(in, out, workspace, fault, 0));
    }

    /** Milliseconds of one run, the median. */
    double time(Runnable work) {
        long start = driver.event();
        long end = driver.event();
        for (int i = 0; i < 3; i++) work.run();
        var times = new double[RUNS];
        for (int i = 0; i < RUNS; i++) {
            driver.record(start, card.stream());
            work.run();
            driver.record(end, card.stream());
            driver.waitForEvent(end);
            times[i] = driver.elapsed(start, end);
        }
        driver.destroyEvent(start);
        driver.destroyEvent(end);
        Arrays.sort(times);
        return times[RUNS / 2];
    }

    void measure(
            String name,
            Kernel kernel,
            List<Type> in,
            List<Type> out,
            double bytes,
            double flops,
            Precision precision) {
        try {
            var from = in.stream().map(this::random).toList();
            var to =
                    out.stream()
                            .map(
                                    t -> {
                                        long p = driver.allocate(Math.max(256, t.bytes()));
                                        made.add(p);
                                        return p;
                                    })
                            .toList();
            double ms = time(run(kernel, from, to, in, out, precision));
            measured.add(new Measured(name, ms, bytes, flops));
            lines.add(
                    "%-44s %9.3f ms %8.0f GB/s %8.1f TFLOP/s"
                            .formatted(name, ms, bytes / ms / 1e6, flops / ms / 1e9));
        } catch (CudaException e) {
            lines.add(name + ": " + String.valueOf(e.getMessage()).lines().limit(4).toList());
        } finally {
            made.forEach(driver::free);
            made.clear();
        }
    }

    void measure(String name, Kernel kernel, List<Type> in, Type out) {
        double bytes = out.bytes();
        for (var t : in) bytes += t.bytes();
        measure(name, kernel, in, List.of(out), bytes, 0, Precision.F32);
    }
}
