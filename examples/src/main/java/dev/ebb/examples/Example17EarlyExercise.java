package dev.ebb.examples;

import dev.ebb.Ebb;
import dev.ebb.Loop;
import dev.ebb.Next;
import dev.ebb.exec.Report;
import dev.ebb.ir.DType;
import dev.ebb.ir.Type;
import dev.ebb.plan.Budget;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Key;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A put on the mean of several shares that may be exercised at any of many dates, priced by
 * simulation (Longstaff and Schwartz, "Valuing American options by simulation", 2001), with the
 * derivatives with respect to all inputs of the price, in a budget that could not hold the paths.
 */
public final class Example17EarlyExercise {
    private Example17EarlyExercise() {}

    /** The inputs of the price; the gradient with respect to them is all of the Greeks. */
    public record Market(
            Tensor spot,
            Tensor volatility,
            Tensor correlation,
            Tensor rate,
            Tensor strike,
            Tensor years) {}

    /** The number of paths, and of dates of each path. */
    public record Size(int paths, int dates) {}

    /** Four correlated shares. */
    static Market market() {
        return new Market(
                Array.of(100.0, 95.0, 105.0, 90.0),
                Array.of(0.2, 0.3, 0.25, 0.4),
                Array.of(
                        new double[][] {
                            {1, 0.5, 0.3, 0.2},
                            {0.5, 1, 0.4, 0.3},
                            {0.3, 0.4, 1, 0.5},
                            {0.2, 0.3, 0.5, 1}
                        }),
                Array.scalar(0.05),
                Array.scalar(105.0),
                Array.scalar(1.0));
    }

    // [exercise-price
    /**
     * The paths at one date: logarithms of prices, whether the option is still held, and the payoff
     * of those that were exercised.
     */
    public record Paths(Tensor logs, Tensor holding, Tensor value) {}

    /**
     * A date's number, and the polynomial that estimates the value of holding the option at this
     * date.
     */
    public record Date(Tensor number, Tensor policy) {}

    /** The mean payoff of the paths, each exercised when {@code policy} says so. */
    static Tensor price(Market m, Tensor policy, Key key, Size size) {
        int shares = m.spot().shape().dim(0);
        var root = m.correlation().cholesky().transpose();
        var step = m.years().div(size.dates());
        var drift = m.rate().sub(m.volatility().square().mul(0.5)).mul(step);
        var spread = m.volatility().mul(step.sqrt());
        var begin =
                new Paths(
                        m.spot().log().broadcastTo(size.paths(), shares),
                        Tensors.ones(DType.F64, size.paths()),
                        Tensors.zeros(DType.F64, size.paths()));
        var dates = new Date(Tensors.arange(DType.I64, size.dates()), policy);
        return Loop.<Paths, Date, Tensor>scan(
                        begin,
                        dates,
                        (p, date) -> {
                            // drawn again in the backward pass, not kept
                            var draws = key.fold(date.number()).normal(p.logs().type());
                            var logs = p.logs().add(drift).add(draws.matmul(root).mul(spread));
                            var basket = logs.exp().mean(1);
                            var pays = m.strike().sub(basket).relu();
                            var hold = polynomial(basket.div(m.strike()), date.policy());
                            var now = pays.gt(0).and(pays.ge(hold)).cast(DType.F64);
                            var leaves = p.holding().mul(now).detach();
                            var time = date.number().cast(DType.F64).add(1).mul(step);
                            var worth = pays.mul(m.rate().mul(time).neg().exp());
                            return new Next<>(
                                    new Paths(
                                            logs,
                                            p.holding().sub(leaves),
                                            p.value().add(leaves.mul(worth))),
                                    date.number());
                        })
                .carry()
                .value()
                .mean();
    }

    // exercise-price]

    private static Tensor polynomial(Tensor x, Tensor c) {
        return x.mul(c.at(0, 3)).add(c.at(0, 2)).mul(x).add(c.at(0, 1)).mul(x).add(c.at(0, 0));
    }

    /** The paths in reverse: their position, and their payoff from this date on. */
    public record Back(Tensor walk, Tensor cash) {}

    /**
     * The estimated value of holding the option at each date, as a polynomial of the basket over
     * the strike, fitted to other paths than those that are priced. The paths are walked backwards:
     * each date is drawn between the start and the date after it, so that no path is kept.
     */
    static Tensor policy(Market m, Key key, Size size) {
        int last = size.dates();
        var root = m.correlation().cholesky().transpose();
        var step = m.years().div(last);
        var type = Type.of(DType.F64, size.paths(), m.spot().shape().dim(0));
        var end = key.fold(last).normal(type).mul(m.years().sqrt());
        var discount = m.rate().mul(step).neg().exp();
        var fitted =
                Loop.<Back, Tensor, Tensor>scan(
                        new Back(end, pays(m, root, end, m.years())),
                        Tensors.arange(DType.I64, last - 1.0, 0, -1),
                        (b, number) -> {
                            var j = number.cast(DType.F64);
                            var share = j.div(j.add(1));
                            var walk =
                                    b.walk()
                                            .mul(share)
                                            .add(
                                                    key.fold(number)
                                                            .normal(type)
                                                            .mul(share.mul(step).sqrt()));
                            var pays = pays(m, root, walk, j.mul(step));
                            var x = pays.neg().div(m.strike()).add(1);
                            var inside = pays.gt(0).cast(DType.F64);
                            var powers =
                                    Tensors.stack(
                                            List.of(
                                                    inside,
                                                    inside.mul(x),
                                                    inside.mul(x.square()),
                                                    inside.mul(x.square().mul(x))),
                                            0);
                            var cash = b.cash().mul(discount);
                            var square = powers.matmul(powers.transpose());
                            var c =
                                    square.add(Tensors.eye(DType.F64, 4).mul(1e-6))
                                            .solve(powers.matmul(cash.unsqueeze(1)))
                                            .reshape(4);
                            var now = pays.gt(0).and(pays.ge(polynomial(x, c)));
                            return new Next<>(new Back(walk, Tensors.where(now, pays, cash)), c);
                        });
        var never = Tensors.zeros(DType.F64, 1, 4);
        return Tensors.concat(List.of(fitted.stacked().flip(0), never), 0);
    }

    private static Tensor pays(Market m, Tensor root, Tensor walk, Tensor time) {
        var drift = m.rate().sub(m.volatility().square().mul(0.5)).mul(time);
        var moved = walk.matmul(root).mul(m.volatility()).add(drift);
        return m.strike().sub(m.spot().mul(moved.exp()).mean(1)).relu();
    }

    /** The results, and the smallest budget that would have sufficed. */
    record Priced(Tensor policy, Ebb.ValueAndGrad<Market> greeks, Report report) {}

    // [exercise-run
    static Priced run(Market m, Size size, Budget budget) {
        try (var fit = Ebb.compile((Market x) -> policy(x, Key.of(1), size)).within(budget)) {
            var policy = fit.apply(m);
            try (var greeks =
                    Ebb.compile(Ebb.valueAndGrad((Market x) -> price(x, policy, Key.of(2), size)))
                            .within(budget)) {
                return new Priced(policy, greeks.apply(m), greeks.report());
            }
        }
    }

    // exercise-run]

    /**
     * A picture of the exercise boundary over the dates: the basket price below which paths are
     * exercised.
     */
    static String picture(Tensor policy, double strike, double years) {
        int dates = policy.shape().dim(0);
        var times = new ArrayList<Double>();
        var border = new ArrayList<Double>();
        for (int d = 0; d < dates; d++) {
            for (double x = 1; x > 0.6; x -= 0.001) {
                double hold = 0;
                for (int k = 3; k >= 0; k--) hold = hold * x + policy.get(d, k);
                if (strike * (1 - x) < hold) continue;
                times.add(years * (d + 1) / dates);
                border.add(x * strike);
                break;
            }
        }
        return new Picture(0, years, 0.6 * strike, 1.02 * strike)
                .line(new double[] {0, years}, new double[] {strike, strike}, "#999", 1)
                .line(array(times), array(border), "#c33", 2)
                .text(0.02 * years, 0.985 * strike, "strike")
                .text(0.55 * years, 0.65 * strike, "exercise below the red line")
                .svg();
    }

    private static double[] array(List<Double> numbers) {
        return numbers.stream().mapToDouble(x -> x).toArray();
    }

    /**
     * With the argument {@code full}: 100,000 paths of 250 dates in 64 MiB, and the picture of the
     * exercise boundary; otherwise a small simulation.
     */
    public static void main(String[] args) throws IOException {
        boolean full = args.length > 0 && args[0].equals("full");
        var size = full ? new Size(100_000, 250) : new Size(1_000, 20);
        long start = System.nanoTime();
        var priced = run(market(), size, full ? Budget.mebibytes(64) : Budget.mebibytes(4));
        System.out.printf(
                "%.1f seconds, the gradient %.1f%n",
                (System.nanoTime() - start) / 1e9, priced.report().seconds());
        System.out.println("price " + priced.greeks().value());
        System.out.println("by spot " + priced.greeks().grad().spot());
        System.out.println("by volatility " + priced.greeks().grad().volatility());
        System.out.println("by rate " + priced.greeks().grad().rate());
        System.out.println("by years " + priced.greeks().grad().years());
        System.out.println("by correlation " + priced.greeks().grad().correlation());
        System.out.println(
                "promised "
                        + Budget.show(priced.report().promisedBytes())
                        + ", measured "
                        + Budget.show(priced.report().measuredBytes()));
        if (full) Files.writeString(Path.of("exercise.svg"), picture(priced.policy(), 105, 1));
    }
}
