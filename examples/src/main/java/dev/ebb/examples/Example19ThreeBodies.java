package dev.ebb.examples;

import dev.ebb.Ebb;
import dev.ebb.Loop;
import dev.ebb.Next;
import dev.ebb.exec.Report;
import dev.ebb.ir.DType;
import dev.ebb.plan.Budget;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Three masses of 3, 4 and 5 that fall from rest at the corners of a right-angled triangle (Burrau,
 * 1913), their close encounters, and the derivative of an encounter's distance with respect to the
 * initial positions.
 */
public final class Example19ThreeBodies {
    /** Rows are pairs, columns bodies: the difference from the first of a pair to the second. */
    private static final Array PAIRS =
            Array.of(new double[][] {{-1, 1, 0}, {-1, 0, 1}, {0, -1, 1}});

    /** Rows are bodies, columns pairs: the mass that attracts the body along the pair. */
    private static final Array PULL = Array.of(new double[][] {{4, 5, 0}, {-3, 0, 5}, {0, -3, -4}});

    private Example19ThreeBodies() {}

    /** The positions and velocities of the bodies, and the time. */
    public record State(Tensor place, Tensor speed, Tensor time) {}

    /**
     * One step: the positions at its start, and for each pair whether its distance has a minimum in
     * this step, when, and how small.
     */
    public record Observation(Tensor place, Tensor happens, Tensor when, Tensor distance) {}

    static Array start() {
        return Array.of(new double[][] {{1, 3}, {-2, -1}, {1, -1}});
    }

    private static Tensor pull(Tensor place) {
        var d = PAIRS.matmul(place);
        var square = d.square().sum(List.of(1), true);
        return PULL.matmul(d.div(square.mul(square.sqrt())));
    }

    /** The Runge-Kutta method of order four. */
    private static State step(State s, Tensor h) {
        var half = h.mul(0.5);
        var a1 = pull(s.place());
        var v2 = s.speed().add(a1.mul(half));
        var a2 = pull(s.place().add(s.speed().mul(half)));
        var v3 = s.speed().add(a2.mul(half));
        var a3 = pull(s.place().add(v2.mul(half)));
        var v4 = s.speed().add(a3.mul(h));
        var a4 = pull(s.place().add(v3.mul(h)));
        var v = s.speed().add(v2.add(v3).mul(2)).add(v4);
        var a = a1.add(a2.add(a3).mul(2)).add(a4);
        return new State(
                s.place().add(v.mul(h.div(6))), s.speed().add(a.mul(h.div(6))), s.time().add(h));
    }

    // [bodies-event
    /** A pair is closest when the rate of change of its distance changes its sign. */
    private static Observation look(State from, State to) {
        var d = PAIRS.matmul(from.place());
        var e = PAIRS.matmul(to.place());
        var h = to.time().sub(from.time());
        var slope = PAIRS.matmul(from.speed()).mul(h);
        var slopeThen = PAIRS.matmul(to.speed()).mul(h);
        var before = d.mul(slope).sum(1);
        var after = e.mul(slopeThen).sum(1);
        var happens = before.lt(0).and(after.ge(0));
        var share = before.div(Tensors.where(happens, before.sub(after), before.literal(-1)));
        var x = share.unsqueeze(1);
        var y = x.neg().add(1);
        // the cubic interpolation between both ends, with the velocities there
        var between =
                y.square()
                        .mul(x.mul(2).add(1))
                        .mul(d)
                        .add(y.square().mul(x).mul(slope))
                        .add(x.square().mul(y.mul(2).add(1)).mul(e))
                        .sub(x.square().mul(y).mul(slopeThen));
        var far = Tensors.where(happens, between.square().sum(1), before.literal(1)).sqrt();
        return new Observation(from.place(), happens, from.time().add(share.mul(h)), far);
    }

    // bodies-event]

    private static State begin(Tensor place) {
        return new State(place, Tensors.zeros(DType.F64, 3, 2), Tensors.zeros(DType.F64));
    }

    /** The next state; the time step is shorter if bodies are close. */
    private static State next(State s, double length) {
        var least = PAIRS.matmul(s.place()).square().sum(1).amin();
        return step(s, least.pow(0.75).mul(length));
    }

    /** The observations of {@code rounds} steps. */
    static Observation simulate(Tensor place, int rounds, double length) {
        return Loop.<State, Tensor, Observation>scan(
                        begin(place),
                        Tensors.arange(DType.I64, rounds),
                        (s, _) -> {
                            var next = next(s, length);
                            return new Next<>(next, look(s, next));
                        })
                .stacked();
    }

    /** An encounter: its step, the number of its pair, its time and distance. */
    public record Encounter(int round, int pair, double when, double distance) {}

    static List<Encounter> encounters(Observation seen, double closerThan) {
        var found = new ArrayList<Encounter>();
        for (int r = 0; r < seen.happens().shape().dim(0); r++) {
            for (int p = 0; p < 3; p++) {
                double distance = seen.distance().get(r, p);
                if (seen.happens().get(r, p) == 1 && distance < closerThan)
                    found.add(new Encounter(r, p, seen.when().get(r, p), distance));
            }
        }
        return found;
    }

    record Slopes(Tensor byPlace, Report report) {}

    // [bodies-slope
    /** The distance of one encounter, as a function of the initial positions. */
    private static Tensor distance(Tensor place, Encounter e, double length) {
        var s = Loop.repeat(e.round(), begin(place), x -> next(x, length));
        return look(s, next(s, length)).distance().at(0, e.pair());
    }

    static Slopes slopes(Encounter e, double length, Budget budget) {
        try (var gradient =
                Ebb.compile(Ebb.grad((Tensor place) -> distance(place, e, length)))
                        .within(budget)) {
            return new Slopes(gradient.apply(start()), gradient.report());
        }
    }

    // bodies-slope]

    private static String picture(Observation seen, List<Encounter> encounters) {
        var picture = new Picture(-6.125, 6.125, -3.8, 3.2);
        var colours = List.of("#36c", "#393", "#c60");
        int rounds = seen.place().shape().dim(0);
        int every = Math.max(1, rounds / 800);
        for (int body = 0; body < 3; body++) {
            var xs = new double[rounds / every];
            var ys = new double[xs.length];
            for (int i = 0; i < xs.length; i++) {
                xs[i] = seen.place().get(i * every, body, 0);
                ys[i] = seen.place().get(i * every, body, 1);
            }
            picture.line(xs, ys, colours.get(body), 1);
        }
        for (var e : encounters) {
            int body = e.pair() == 2 ? 1 : 0;
            picture.dot(
                    seen.place().get(e.round(), body, 0),
                    seen.place().get(e.round(), body, 1),
                    "#c33");
        }
        return picture.svg();
    }

    /**
     * With the argument {@code full}: 40,000 steps, and a picture of paths and encounters;
     * otherwise few and long steps.
     */
    public static void main(String[] args) throws IOException {
        boolean full = args.length > 0 && args[0].equals("full");
        int rounds = full ? 40_000 : 400;
        double length = full ? 0.002 : 0.04;
        try (var run = Ebb.compile((Tensor place) -> simulate(place, rounds, length))) {
            var seen = run.apply(start());
            var encounters = encounters(seen, 0.2);
            encounters.forEach(System.out::println);
            var closest =
                    encounters.stream()
                            .min(Comparator.comparingDouble(Encounter::distance))
                            .orElseThrow();
            var slopes = slopes(closest, length, Budget.kibibytes(64));
            System.out.println(
                    "the distance of the closest by where the bodies began " + slopes.byPlace());
            System.out.printf(
                    "%.3f seconds; promised %s, measured %s%n",
                    slopes.report().seconds(),
                    Budget.show(slopes.report().promisedBytes()),
                    Budget.show(slopes.report().measuredBytes()));
            if (full) Files.writeString(Path.of("bodies.svg"), picture(seen, encounters));
        }
    }
}
