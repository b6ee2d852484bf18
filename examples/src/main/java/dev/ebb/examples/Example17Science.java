package dev.ebb.examples;

import dev.ebb.Ebb;
import dev.ebb.Fn2;
import dev.ebb.science.Csr;
import dev.ebb.science.Normal;
import dev.ebb.science.SparseJacobian;
import dev.ebb.solve.Bracket;
import dev.ebb.solve.DormandPrince;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;

import java.util.List;

/** Implied volatilities, a ball that hits the ground, and a sparse Jacobian. */
public final class Example17Science {
    private Example17Science() {}

    // [implied
    /** Calls with strike one that expire in a year, without interest. */
    public record Quotes(Tensor spot, Tensor price) {}

    static Tensor call(Tensor volatility, Tensor spot) {
        var d = spot.log().div(volatility).add(volatility.mul(0.5));
        return spot.mul(Normal.distribution(d)).sub(Normal.distribution(d.sub(volatility)));
    }

    /** The implied volatility of each call. */
    static Tensor implied(Quotes quotes) {
        var low = Tensors.fill(quotes.price.type(), 0.001);
        var high = Tensors.fill(quotes.price.type(), 5);
        return new Bracket(1e-12, 100)
                .solve((v, q) -> call(v, q.spot()).sub(q.price()), low, high, quotes);
    }

    /** The derivatives of the volatilities with respect to spots and prices. */
    static Quotes sensitivities(Quotes quotes) {
        return Ebb.compile(Ebb.grad((Quotes q) -> implied(q).sum())).apply(quotes);
    }

    // implied]

    // [event
    /**
     * The time at which a ball thrown up from a height hits the ground; air slows it by {@code
     * drag}.
     */
    static Tensor landing(Tensor height, Tensor speed, Tensor drag) {
        Fn2<Tensor, List<Tensor>, List<Tensor>> motion =
                (_, y) -> {
                    var v = y.getLast();
                    return List.of(v, v.mul(v.abs()).mul(drag).neg().sub(9.81));
                };
        return DormandPrince.standard()
                .until((_, y) -> y.getFirst(), motion, List.of(height, speed), 0, 60)
                .time();
    }

    static Tensor landingByDrag(double drag) {
        var height = Array.scalar(1.5);
        var speed = Array.scalar(12.0);
        return Ebb.grad((Tensor d) -> landing(height, speed, d)).apply(Array.scalar(drag));
    }

    // event]

    // [sparse
    /**
     * The temperatures of a rod after a time step, with a conductivity that depends on the
     * temperature.
     */
    static Tensor heated(Tensor x) {
        int n = x.dim(0);
        var flow = x.slice(0, 1, n).sub(x.slice(0, 0, n - 1)).mul(x.slice(0, 1, n).exp());
        var none = Tensors.zeros(x.dtype(), 1);
        return Tensors.concat(List.of(flow, none), 0).sub(Tensors.concat(List.of(none, flow), 0));
    }

    /** The Jacobian by three directional derivatives, for a rod of any length. */
    static Csr heatedByTemperature(Tensor x) {
        var jacobian = SparseJacobian.of(Example17Science::heated, x);
        System.out.println(jacobian.colours() + " colours, " + jacobian.entries() + " entries");
        return jacobian.at(Example17Science::heated, x);
    }

    // sparse]

    public static void main(String[] args) {
        var spot = Array.of(0.9, 1.0, 1.2);
        var quotes = new Quotes(spot, call(Array.of(0.3, 0.2, 0.25), spot));
        System.out.println(implied(quotes));
        System.out.println(sensitivities(quotes));
        System.out.println(landingByDrag(0.02));
        System.out.println(heatedByTemperature(Tensors.linspace(spot.dtype(), 0, 1, 100)).values());
    }
}
