package dev.ebb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.exec.DigestException;
import dev.ebb.ir.Buffer;
import dev.ebb.ir.Inverse;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Shape;
import dev.ebb.ir.Trait;
import dev.ebb.ir.Type;
import dev.ebb.plan.Budget;
import dev.ebb.plan.StoreAll;
import dev.ebb.plan.schedule.Step;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Differentiable;
import dev.ebb.tensor.Rule;
import dev.ebb.tensor.Tensor;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Random;
import java.util.Set;

/** A user's own op with a way back: used where memory is short, and found out where it lies. */
class UserInverseTest {

    /** Every row turned by so many places; the way back turns by as many, or by {@code back}. */
    record Turn(int by, int back) implements Differentiable {
        @Override
        public String name() {
            return "turn(" + by + ")";
        }

        @Override
        public List<Type> infer(List<Type> in) {
            return in;
        }

        @Override
        public Kernel kernel(List<Type> in) {
            return new Turning(in.getFirst().shape().dim(1), by);
        }

        @Override
        public void vjp(Rule rule) {
            rule.add(0, rule.dout(0).apply(new Turn(-by, by)));
        }

        @Override
        public List<Inverse> inverses(List<Type> in) {
            return List.of(Inverse.exact(0, new Turn(back, by), List.of(1)));
        }

        @Override
        public Set<Trait> traits() {
            return Set.of(Trait.ALONE);
        }
    }

    record Turning(int width, int by) implements Kernel.Library {
        @Override
        public long workspaceBytes() {
            return 0;
        }

        @Override
        public void run(List<Buffer> in, List<Buffer> out, Buffer workspace) {
            for (long i = 0; i < in.getFirst().size(); i++) {
                long row = i / width * width;
                long to = row + Math.floorMod(i - row + by, (long) width);
                out.getFirst().set(to, in.getFirst().get(i));
            }
        }
    }

    record Net(List<Tensor> weights, Tensor x) {}

    /**
     * Both sides of a turn are needed for the gradient, and what is turned is dear to recompute.
     */
    private static Fn<Net, Net> gradient(int back) {
        return Ebb.grad(
                (Net n) -> {
                    var h = n.x();
                    for (int i = 0; i < n.weights().size(); i++) {
                        var w = n.weights().get(i);
                        var in = h;
                        h =
                                Ebb.region(
                                        "layer " + i,
                                        () -> {
                                            var v = in.matmul(w).matmul(w).matmul(w);
                                            return v.apply(new Turn(3, back)).sin().mul(v.cos());
                                        });
                    }
                    return h.square().sum();
                });
    }

    private static Net net() {
        var random = new Random(9);
        return new Net(
                List.of(noise(random, 16), noise(random, 16), noise(random, 16), noise(random, 16)),
                noise(random, 64));
    }

    private static Tensor noise(Random random, int rows) {
        var data = new double[rows * 16];
        for (int i = 0; i < data.length; i++) data[i] = random.nextGaussian() / 4;
        return Array.of(Shape.of(rows, 16), data);
    }

    @Test
    void aUsersInverseIsUsedAndGivesTheSameBits() {
        var net = net();
        var expected = Ebb.compile(gradient(-3)).with(new StoreAll()).apply(net);
        var curve = Ebb.compile(gradient(-3)).plan(net).curve();
        boolean used = false;
        for (double share : new double[] {0.75, 0.5, 0.25, 0}) {
            long bytes =
                    curve.leastBytes()
                            + (long) (share * (curve.storeAllBytes() - curve.leastBytes()));
            var tight = Ebb.compile(gradient(-3)).within(Budget.bytes(bytes));
            var found = tight.verify(net);
            used |= inverts(tight, net);
            for (int i = 0; i < 4; i++) {
                assertThat(found.weights().get(i).sameBits((Array) expected.weights().get(i)))
                        .isTrue();
            }
        }
        assertThat(used).isTrue();
    }

    private static boolean inverts(Compiled<Net, Net> compiled, Net net) {
        return compiled.plan(net).schedule().steps().stream()
                .anyMatch(s -> s instanceof Step.Invert);
    }

    @Test
    void anInverseThatLiesIsNamed() {
        var net = net();
        var curve = Ebb.compile(gradient(-2)).plan(net).curve();
        for (double share : new double[] {0.75, 0.5, 0.25, 0}) {
            long bytes =
                    curve.leastBytes()
                            + (long) (share * (curve.storeAllBytes() - curve.leastBytes()));
            var lying = Ebb.compile(gradient(-2)).within(Budget.bytes(bytes));
            if (!inverts(lying, net)) continue;
            assertThatThrownBy(() -> lying.verify(net))
                    .isInstanceOf(DigestException.class)
                    .hasMessageContaining("turn(-2), the inverse of turn(3) in layer")
                    .hasMessageContaining("every bit");
            return;
        }
        throw new AssertionError("no plan took the way back");
    }
}
