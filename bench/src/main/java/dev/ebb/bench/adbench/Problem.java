package dev.ebb.bench.adbench;

import dev.ebb.Compiled2;
import dev.ebb.Ebb;
import dev.ebb.cpu.Cpu;
import dev.ebb.ir.Shape;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import java.util.List;
import java.util.function.Supplier;

/** A derivative in two ways, of random data of ADBench's shapes. */
record Problem(
        String name,
        Supplier<List<Tensor>> byEbb,
        Supplier<List<double[]>> byHand,
        Compiled2<?, ?, ?> compiled)
        implements AutoCloseable {

    @Override
    public void close() {
        compiled.close();
    }

    /** How far both are apart, as a share of the largest entry; fails above 1e-9. */
    double difference() {
        var found = byEbb.get().stream().map(Tensor::toDoubles).toList();
        var expected = byHand.get();
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
        if (!(most <= 1e-9 * scale)) throw new AssertionError(name + ": " + most + " of " + scale);
        return most / scale;
    }

    static Problem gmm(int n, int d, int k, Cpu cpu) {
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

    static Problem ba(int cameras, int points, int count, Cpu cpu) {
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

    static Problem lstm(int layers, int length, Cpu cpu) {
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

    static Problem hand(int vertices, int points, Cpu cpu) {
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

    static Problem complicatedHand(int vertices, int points, Cpu cpu) {
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
