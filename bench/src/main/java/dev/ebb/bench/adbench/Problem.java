package dev.ebb.bench.adbench;

import dev.ebb.Compiled2;
import dev.ebb.Ebb;
import dev.ebb.cpu.Cpu;
import dev.ebb.ir.Shape;
import dev.ebb.plan.Budget;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SequencedMap;
import java.util.function.Supplier;

/**
 * A derivative of one of ADBench's problems, computed by Ebb and by hand.
 *
 * @param kind the name of the problem in {@code adbench.py}
 * @param given the inputs of the problem, by their names in {@code adbench.py}
 */
record Problem(
        String kind,
        String name,
        Supplier<SequencedMap<String, Array>> given,
        Supplier<List<Tensor>> byEbb,
        Supplier<List<double[]>> byHand,
        Compiled2<?, ?, ?> compiled)
        implements AutoCloseable {

    /** The budget for a part of the largest scenes. */
    private static final Budget BA = Budget.mebibytes(2048);

    @Override
    public void close() {
        compiled.close();
    }

    /**
     * The largest difference of both results, as a share of the largest entry; throws above 1e-9.
     */
    double difference() {
        return difference(byEbb.get(), byHand.get());
    }

    /** The same for given results. */
    double difference(List<Tensor> byEbb, List<double[]> expected) {
        var found = byEbb.stream().map(Tensor::toDoubles).toList();
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

    static Problem gmm(Gmm.Data data, Cpu cpu) {
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
                "gmm",
                "GMM " + data.n() + " points, d " + data.d() + ", K " + data.k(),
                data::given,
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

    static Problem ba(Bundle.Data data, Cpu cpu) {
        return ba(data, data.count(), cpu);
    }

    /** The observations of one part. */
    private record Part(Tensor camera, Tensor point, Tensor weight, Tensor feature) {
        static Part of(Bundle.Data data, int from, int to) {
            return new Part(
                    Array.of(Arrays.copyOfRange(data.camera(), from, to)),
                    Array.of(Arrays.copyOfRange(data.point(), from, to)),
                    Array.of(Arrays.copyOfRange(data.weights(), from, to)),
                    Array.of(
                            Shape.of(to - from, 2),
                            Arrays.copyOfRange(data.features(), 2 * from, 2 * to)));
        }
    }

    /**
     * Processes at most {@code most} observations at a time, so that Ebb's memory is bounded. The
     * results of the last part are compared. The last part starts earlier if the number of
     * observations is not a multiple.
     */
    static Problem ba(Bundle.Data data, int most, Cpu cpu) {
        int count = data.count();
        int parts = Math.ceilDiv(count, most);
        int size = Math.ceilDiv(count, parts);
        var hand = new BundleByHand(data, size);
        var starts = new ArrayList<Integer>();
        for (int i = 0; i < parts; i++) starts.add(Math.min(i * size, count - size));
        var observed = starts.stream().map(from -> Part.of(data, from, from + size)).toList();
        var f =
                Ebb.compile(
                                (Bundle.ResidualInputs all, Part part) ->
                                        Bundle.blocks(
                                                new Bundle.ResidualInputs(
                                                        all.camera().indexSelect(0, part.camera),
                                                        all.point().indexSelect(0, part.point),
                                                        part.weight),
                                                part.feature))
                        .within(BA)
                        .on(cpu);
        var all = new Bundle.ResidualInputs(data.cameraRows(), data.pointRows(), Array.scalar(1.0));
        return new Problem(
                "ba",
                "BA " + count + " observations" + (parts > 1 ? " in " + parts + " parts" : ""),
                data::given,
                () -> {
                    List<Tensor> last = List.of();
                    for (var part : observed) {
                        var found = f.apply(all, part);
                        last = List.of(found.camera(), found.point(), found.weight());
                    }
                    return last;
                },
                () -> {
                    for (int from : starts) hand.run(from, from + size);
                    return List.of(hand.byCamera, hand.byPoint, hand.byWeight);
                },
                f);
    }

    static Problem lstm(Lstm.Data data, Cpu cpu) {
        var hand = new LstmByHand(data);
        var p = data.parameters();
        var given = data.sequenceAndState();
        var f = Ebb.compile(Ebb.valueAndGrad(Lstm::loss)).on(cpu);
        var value = new double[1];
        return new Problem(
                "lstm",
                "LSTM " + data.layers() + " layers, " + data.length() + " characters, one scan",
                data::given,
                () -> {
                    var found = f.apply(p, given);
                    return List.of(found.value(), found.grad().gates(), found.grad().ends());
                },
                () -> {
                    value[0] = hand.run();
                    return List.of(value, hand.gates, hand.ends);
                },
                f);
    }

    static Problem hand(Hand.Data data, Cpu cpu) {
        int points = data.points();
        var hand = new HandByHand(data, false);
        var model = Hand.Model.of(data);
        var measured = Array.of(Shape.of(points, 3), data.measured());
        var corner = Array.of(Shape.of(points, 3), data.corners());
        var f =
                Ebb.compile((Tensor pose, Tensor m) -> Hand.simple(model, pose, m, corner.at(1, 0)))
                        .on(cpu);
        var pose = Array.of(data.pose());
        return new Problem(
                "simple hand",
                "Hand, simple, " + data.count() + " vertices, " + points + " points",
                data::given,
                () -> List.of(f.apply(pose, measured)),
                () -> {
                    hand.run();
                    return List.of(hand.byPose);
                },
                f);
    }

    static Problem complicatedHand(Hand.Data data, Cpu cpu) {
        int points = data.points();
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
                "complicated hand",
                "Hand, complicated, " + data.count() + " vertices, " + points + " points",
                data::given,
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
