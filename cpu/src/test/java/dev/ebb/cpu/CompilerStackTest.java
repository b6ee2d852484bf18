package dev.ebb.cpu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.Ebb;
import dev.ebb.Loop;
import dev.ebb.Next;
import dev.ebb.ir.DType;
import dev.ebb.ir.Type;
import dev.ebb.tensor.Key;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;

import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;

/**
 * Generated methods are small enough for the just-in-time compilers' stacks: a method with
 * thousands of branches in a row overflows them, and the process ends without a message. The child
 * has three quarters of the usual stack.
 */
class CompilerStackTest {

    /** Loops on short vectors, all inside one generated program. */
    public static final class Child {
        private static final int ROUNDS = 200;
        private static final int LAYERS = 4;

        private Child() {}

        private record State(Tensor hidden, Tensor cell) {}

        public static void main(String[] args) {
            var gates = Key.of(1).normal(Type.of(DType.F64, LAYERS, 8, 14));
            var rows = Key.of(2).normal(Type.of(DType.F64, ROUNDS, 14));
            try (var cpu = new Cpu(1);
                    var run = Ebb.compile(Ebb.grad(Child::loss)).on(cpu)) {
                for (int i = 0; i < 10; i++) run.apply(gates, rows);
            }
            System.out.println("all ran");
        }

        private static Tensor loss(Tensor gates, Tensor rows) {
            var zero = Tensors.zeros(DType.F64, LAYERS, 14);
            return Loop.scan(
                            new State(zero, zero),
                            rows,
                            (State state, Tensor row) -> round(gates, state, row))
                    .stacked()
                    .sum();
        }

        private static Next<State, Tensor> round(Tensor gates, State state, Tensor row) {
            var hidden = new ArrayList<Tensor>();
            var cells = new ArrayList<Tensor>();
            var input = row;
            for (int l = 0; l < LAYERS; l++) {
                var gate = gates.at(0, l);
                var before = state.hidden.at(0, l);
                var forget = input.mul(gate.at(0, 0)).add(gate.at(0, 4)).sigmoid();
                var enter = before.mul(gate.at(0, 1)).add(gate.at(0, 5)).sigmoid();
                var leave = input.mul(gate.at(0, 2)).add(gate.at(0, 6)).sigmoid();
                var change = before.mul(gate.at(0, 3)).add(gate.at(0, 7)).tanh();
                var cell = state.cell.at(0, l).mul(forget).add(enter.mul(change));
                input = leave.mul(cell.tanh());
                cells.add(cell);
                hidden.add(input);
            }
            var next = new State(Tensors.stack(hidden, 0), Tensors.stack(cells, 0));
            return new Next<>(next, input.exp().sum().log());
        }
    }

    @Test
    void holdsEveryGeneratedMethod() throws Exception {
        var child =
                new ChildJvm(
                                "-XX:CompilerThreadStackSize=768",
                                "-XX:TieredStopAtLevel=3",
                                "-XX:-CreateCoredumpOnCrash")
                        .running(Child.class)
                        .redirectErrorStream(true)
                        .start();
        var said = new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(child.waitFor()).as(said).isZero();
        assertThat(said).endsWith("all ran\n");
    }
}
