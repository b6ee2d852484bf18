package dev.ebb.bench.adbench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.cpu.Cpu;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.function.Function;

/** Small problems of every kind have the derivatives that are written by hand. */
class ProblemTest {
    @Test
    void derivatives_agree_with_those_by_hand() {
        List<Function<Cpu, Problem>> problems =
                List.of(
                        cpu -> Problem.gmm(Gmm.Data.random(30, 3, 4), cpu),
                        cpu -> Problem.ba(Bundle.Data.random(3, 20, 50), cpu),
                        cpu -> Problem.ba(Bundle.Data.random(3, 20, 50), 20, cpu),
                        cpu -> Problem.lstm(Lstm.Data.random(2, 14, 9), cpu),
                        cpu -> Problem.hand(Hand.Data.random(30, 17), cpu),
                        cpu -> Problem.complicatedHand(Hand.Data.random(30, 17), cpu));
        try (var cpu = new Cpu(1)) {
            for (var make : problems) {
                try (var problem = make.apply(cpu)) {
                    assertThat(problem.difference()).as(problem.name()).isLessThan(1e-9);
                }
            }
        }
    }
}
