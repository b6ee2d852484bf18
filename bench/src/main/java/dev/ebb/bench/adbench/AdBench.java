package dev.ebb.bench.adbench;

import dev.ebb.Ebb;
import dev.ebb.cpu.Cpu;
import dev.ebb.ir.Shape;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;

/**
 * Derivatives of ADBench's problems on one thread: milliseconds, and how many times as long as by
 * hand. Both take turns and the best time of each counts. Results must agree to 1e-9 of the largest
 * entry. Arguments: which problems ({@code gmm ba lstm hand}), all unless given.
 */
public final class AdBench {
    private AdBench() {}

    /** A derivative in two ways. */
    private record Problem(
            String name,
            Supplier<List<Tensor>> byEbb,
            Supplier<List<double[]>> byHand,
            AutoCloseable compiled) {}

    public static void main(String[] arguments) throws Exception {
        var which =
                arguments.length == 0 ? List.of("gmm", "ba", "lstm", "hand") : List.of(arguments);
        try (var cpu = new Cpu(1)) {
            if (which.contains("gmm")) {
                int[][] sizes = {
                    {1000, 2, 5},
                    {10_000, 2, 5},
                    {10_000, 2, 50},
                    {10_000, 10, 10},
                    {10_000, 20, 50},
                    {10_000, 64, 50}
                };
                for (var s : sizes) compare(gmm(s[0], s[1], s[2], cpu));
            }
            if (which.contains("ba")) {
                compare(ba(49, 7776, 31_843, cpu));
                compare(ba(356, 226_730, 563_734, cpu));
            }
            if (which.contains("lstm")) {
                compare(lstm(2, 1024, cpu));
                compare(lstm(4, 1024, cpu));
                compare(lstm(2, 4096, cpu));
            }
            if (which.contains("hand")) {
                compare(hand(544, 12_800, cpu));
                compare(complicatedHand(544, 12_800, cpu));
            }
        }
    }

    private static void compare(Problem problem) throws Exception {
        long ebb = Long.MAX_VALUE;
        long hand = Long.MAX_VALUE;
        var found = problem.byEbb.get();
        var expected = problem.byHand.get();
        long begun = System.nanoTime();
        for (int i = 0; i < 20 || System.nanoTime() - begun < 4e9; i++) {
            long start = System.nanoTime();
            found = problem.byEbb.get();
            long between = System.nanoTime();
            expected = problem.byHand.get();
            ebb = Math.min(ebb, between - start);
            hand = Math.min(hand, System.nanoTime() - between);
        }
        System.out.printf(
                Locale.ROOT,
                "%s: %.3f ms, by hand %.3f ms, %.2f times; largest difference %.1e%n",
                problem.name,
                ebb / 1e6,
                hand / 1e6,
                (double) ebb / hand,
                difference(found.stream().map(Tensor::toDoubles).toList(), expected));
        problem.compiled.close();
    }

    private static double difference(List<double[]> found, List<double[]> expected) {
        double most = 0;
        double scale = 0;
        for (int i = 0; i < found.size(); i++) {
            var f = found.get(i);
            var e = expected.get(i);
            if (f.length != e.length) throw new AssertionError(f.length + " and " + e.length);
            for (int j = 0; j < f.length; j++) {
                most = Math.max(most, Math.abs(f[j] - e[j]));
                scale = Math.max(scale, Math.abs(e[j]));
            }
        }
        if (!(most <= 1e-9 * scale)) throw new AssertionError(most + " of " + scale);
        return most / scale;
    }

    private static Problem gmm(int n, int d, int k, Cpu cpu) {
        var data = Gmm.Data.random(n, d, k);
        var hand = new GmmByHand(data, 1, 0);
        var p = data.parameters();
        var x = data.points();
        var f =
                Ebb.compile(
                                Ebb.valueAndGrad(
                                        (Gmm.Parameters q, Tensor y) ->
                                                new Gmm(y, 1, 0).logLikelihood(q)))
                        .on(cpu);
        var value = new double[1];
        return new Problem(
                "GMM " + n + " points, d " + d + ", K " + k,
                () -> {
                    var found = f.apply(p, x);
                    var g = found.grad();
                    return List.of(found.value(), g.alphas(), g.means(), g.factors());
                },
                () -> {
                    value[0] = hand.run();
                    return List.of(value, hand.alphas, hand.means, hand.icf);
                },
                f);
    }

    private static Problem ba(int cameras, int points, int count, Cpu cpu) {
        var data = Bundle.Data.random(cameras, points, count);
        var hand = new BundleByHand(data);
        var weights = Array.of(data.weights());
        var features = Array.of(Shape.of(count, 2), data.features());
        var camera = Array.of(data.camera());
        var point = Array.of(data.point());
        var f =
                Ebb.compile(
                                (Bundle.Seen all, Tensor seen) ->
                                        Bundle.blocks(
                                                new Bundle.Seen(
                                                        all.camera().indexSelect(0, camera),
                                                        all.point().indexSelect(0, point),
                                                        all.weight()),
                                                seen))
                        .on(cpu);
        var all = new Bundle.Seen(data.cameraRows(), data.pointRows(), weights);
        return new Problem(
                "BA " + count + " observations",
                () -> {
                    var found = f.apply(all, features);
                    return List.of(found.camera(), found.point(), found.weight());
                },
                () -> {
                    hand.run();
                    return List.of(hand.byCamera, hand.byPoint, hand.byWeight);
                },
                f);
    }

    private static Problem lstm(int layers, int length, Cpu cpu) {
        var data = Lstm.Data.random(layers, 14, length);
        var hand = new LstmByHand(data);
        var p = data.parameters();
        var rows = data.rows();
        var f = Ebb.compile(Ebb.valueAndGrad(Lstm::loss)).on(cpu);
        var value = new double[1];
        return new Problem(
                "LSTM " + layers + " layers, " + length + " characters, one scan",
                () -> {
                    var found = f.apply(p, rows);
                    return List.of(found.value(), found.grad().gates(), found.grad().ends());
                },
                () -> {
                    value[0] = hand.run();
                    return List.of(value, hand.gates, hand.ends);
                },
                f);
    }

    private static Problem hand(int vertices, int points, Cpu cpu) {
        var data = Hand.Data.random(vertices, points);
        var hand = new HandByHand(data, false);
        var model = Hand.Model.of(data);
        var measured = Array.of(Shape.of(points, 3), data.measured());
        var corner = Array.of(Shape.of(points, 3), data.corners());
        var f =
                Ebb.compile((Tensor pose, Tensor m) -> Hand.simple(model, pose, m, corner.at(1, 0)))
                        .on(cpu);
        var pose = Array.of(data.pose());
        return new Problem(
                "Hand, simple, " + points + " points",
                () -> List.of(f.apply(pose, measured)),
                () -> {
                    hand.run();
                    return List.of(hand.byPose);
                },
                f);
    }

    private static Problem complicatedHand(int vertices, int points, Cpu cpu) {
        var data = Hand.Data.random(vertices, points);
        var hand = new HandByHand(data, true);
        var model = Hand.Model.of(data);
        var measured = Array.of(Shape.of(points, 3), data.measured());
        var corners = Array.of(Shape.of(points, 3), data.corners());
        var places = Array.of(Shape.of(points, 2), data.places());
        var f =
                Ebb.compile(
                                (Tensor pose, Tensor u) ->
                                        Hand.complicated(model, pose, u, measured, corners))
                        .on(cpu);
        var pose = Array.of(data.pose());
        return new Problem(
                "Hand, complicated, " + points + " points",
                () -> {
                    var found = f.apply(pose, places);
                    return List.of(found.pose(), found.place());
                },
                () -> {
                    hand.run();
                    return List.of(hand.byPose, hand.byPlace);
                },
                f);
    }
}
