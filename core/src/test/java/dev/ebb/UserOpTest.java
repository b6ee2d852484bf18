package dev.ebb;

import static dev.ebb.tensor.Literals.lit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.ebb.ir.Buffer;
import dev.ebb.ir.DType;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Scalar;
import dev.ebb.ir.ShapeException;
import dev.ebb.ir.Trait;
import dev.ebb.ir.Type;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Differentiable;
import dev.ebb.tensor.Rule;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Unary;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Set;

/** Ops that a user writes have the same rights as the built-in ones. */
class UserOpTest {

    /** {@code x / (1 + |x|)}, with a derivative that needs only the result. */
    record Soften() implements Unary {
        @Override
        public Scalar at(Scalar x) {
            return x.div(x.abs().add(lit(1)));
        }

        @Override
        public Tensor vjp(Tensor x, Tensor y, Tensor dy) {
            return dy.mul(y.abs().neg().add(1).square());
        }
    }

    /**
     * {@code y[i] = x[i] + decay y[i - 1]}: a recurrence, which is no loop over elements. Its
     * derivative is the same recurrence from the other end.
     */
    record Echo(double decay, boolean fromTheEnd) implements Differentiable {
        @Override
        public List<Type> infer(List<Type> in) {
            var x = in.getFirst();
            if (x.shape().rank() != 1 || !x.dtype().isFloat()) {
                throw new ShapeException("echo needs a vector of floats, this is " + x);
            }
            return in;
        }

        @Override
        public Kernel kernel(List<Type> in) {
            return new Run(this);
        }

        @Override
        public void vjp(Rule rule) {
            rule.add(0, rule.dout(0).apply(new Echo(decay, !fromTheEnd)));
        }

        @Override
        public Set<Trait> traits() {
            return Set.of(Trait.EXPENSIVE);
        }
    }

    /** The kernel keeps its running sum in eight bytes of planned workspace. */
    record Run(Echo echo) implements Kernel.Library {
        @Override
        public long workspaceBytes() {
            return 8;
        }

        @Override
        public void run(List<Buffer> in, List<Buffer> out, Buffer workspace) {
            var sum = new Buffer(DType.F64, 1, workspace.segment());
            long n = in.getFirst().size();
            sum.set(0, 0);
            for (long step = 0; step < n; step++) {
                long i = echo.fromTheEnd ? n - 1 - step : step;
                sum.set(0, in.getFirst().get(i) + echo.decay * sum.get(0));
                out.getFirst().set(i, sum.get(0));
            }
        }
    }

    @Test
    void anElementwiseOpIsTwoLines() {
        var x = Array.of(-3.0, 0.5, 2.0);
        assertThat(x.apply(new Soften()).toDoubles())
                .containsExactly(new double[] {-0.75, 1 / 3.0, 2 / 3.0}, within(1e-15));
        Differences.check(in -> in.getFirst().apply(new Soften()), x);
    }

    @Test
    void anOpMayBringItsOwnKernel() {
        var x = Array.of(1.0, 0.0, 2.0);
        var op = new Echo(0.5, false);
        assertThat(x.apply(op).toDoubles()).containsExactly(1, 0.5, 2.25);
        Differences.check(in -> in.getFirst().apply(op).square(), x);
    }

    @Test
    void itsWorkspaceIsPlanned() {
        var x = Array.of(1.0, 0.0, 2.0);
        var f = Ebb.compile((Tensor t) -> t.apply(new Echo(0.5, false))).on(Devices.best());
        var stays = f.plan(x).layout().slots().stream().flatMap(s -> s.stays().stream());
        assertThat(stays).anyMatch(s -> s.value().type().equals(Type.of(DType.U8, 8)));
        f.apply(x);
        assertThat(f.report().measuredBytes()).isEqualTo(f.report().promisedBytes());
        f.close();
    }

    @Test
    void itsRefusalReachesTheCaller() {
        assertThatThrownBy(() -> Array.of(1, 2).apply(new Echo(0.5, false)))
                .hasMessageContaining("vector of floats");
    }
}
