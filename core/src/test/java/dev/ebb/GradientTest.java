package dev.ebb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.ebb.ir.Shape;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import org.junit.jupiter.api.Test;

class GradientTest {

    private static Array run(Fn<Tensor, Tensor> f, Array x) {
        return (Array) Ebb.compile(f).apply(x);
    }

    @Test
    void gradientOfXSinX() {
        var x = Array.of(0.0, 0.5, 1.0);
        var g = run(Ebb.grad((Tensor t) -> t.mul(t.sin()).sum()), x);
        for (int i = 0; i < 3; i++) {
            double v = x.data().get(i);
            assertThat(g.data().get(i)).isCloseTo(Math.sin(v) + v * Math.cos(v), within(1e-15));
        }
    }

    @Test
    void derivativesComposeInAnyOrder() {
        var x = Array.of(0.3, -0.7);
        Fn<Tensor, Tensor> cube = t -> t.square().mul(t).sum();
        assertThat(Ebb.hessian(cube).apply(x).toDoubles())
                .containsExactly(new double[] {1.8, 0, 0, -4.2}, within(1e-12));
        var third =
                Ebb.jvp((Tensor t) -> Ebb.hvp(cube).apply(t, Array.of(1.0, 1.0)))
                        .apply(x, Array.of(1.0, 0.0));
        assertThat(third.tangent().toDoubles()).containsExactly(new double[] {6, 0}, within(1e-12));
    }

    @Test
    void gradientHasTheStructureOfTheArgument() {
        record Layer(Tensor w, Tensor b, String activation) {}
        record Net(Layer first, java.util.List<Layer> rest) {}
        var w = Array.of(Shape.of(2, 2), 1.0, 2.0, 3.0, 4.0);
        var b = Array.of(0.5, -0.5);
        var net = new Net(new Layer(w, b, "tanh"), java.util.List.of(new Layer(w, b, "relu")));
        var x = Array.of(Shape.of(1, 2), 0.1, 0.2);
        Fn<Net, Tensor> loss =
                n -> {
                    Tensor h = x.matmul(n.first().w()).add(n.first().b()).tanh();
                    for (var layer : n.rest()) h = h.matmul(layer.w()).add(layer.b()).relu();
                    return h.sum();
                };
        var g = Ebb.compile(Ebb.grad(loss)).apply(net);
        assertThat(g.first().activation()).isEqualTo("tanh");
        assertThat(g.rest().getFirst().b().shape()).isEqualTo(Shape.of(2));
        assertThat(g.rest().getFirst().b().toDoubles()).containsExactly(1, 1);
    }

    @Test
    void eagerOpsOnArrays() {
        var y = (Array) Array.of(1.0, 2.0).add(Array.of(10.0, 20.0)).mul(2);
        assertThat(y.toDoubles()).containsExactly(22, 44);
    }
}
