package dev.ebb.nn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.Ebb;
import dev.ebb.Fn;
import dev.ebb.Tensorwise;
import dev.ebb.cpu.Cpu;
import dev.ebb.ir.Shape;
import dev.ebb.nn.model.Gpt2;
import dev.ebb.plan.Budget;
import dev.ebb.plan.OverBudgetException;
import dev.ebb.plan.schedule.Disk;
import dev.ebb.tensor.Array;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;

/** A real model in less memory than it needs, with the rest on the disk. */
class OffloadTest {
    @TempDir Path folder;

    @Test
    void aGptRunsInSixTenthsOfItsLeastBudget() {
        var model = Gpt2.of(Gpt2.Config.of(256, 64, 128, 4, 4), new Seed(1));
        var tokens = new long[2 * 64];
        for (int i = 0; i < tokens.length; i++) tokens[i] = i * 7919L % 256;
        var x = Array.of(Shape.of(2, 64), tokens);
        Fn<Gpt2, Ebb.ValueAndGrad<Gpt2>> f =
                m -> Ebb.valueAndGrad((Gpt2 g) -> g.loss(x, x)).apply(m);
        var cpu = new Cpu(2);
        try (var all = Ebb.compile(f).on(cpu)) {
            var expected = Tensorwise.list(all.apply(model));
            var budget = Budget.bytes((long) (0.6 * all.plan(model).leastBytes()));
            assertThatThrownBy(() -> Ebb.compile(f).within(budget).on(cpu).plan(model))
                    .isInstanceOf(OverBudgetException.class);
            long room = 32 << 20;
            try (var away = Ebb.compile(f).within(budget.with(Disk.in(folder, room))).on(cpu)) {
                for (int run = 0; run < 2; run++) {
                    var found = Tensorwise.list(away.apply(model));
                    for (int i = 0; i < expected.size(); i++) {
                        var e = ((Array) expected.get(i)).data().segment();
                        var r = ((Array) found.get(i)).data().segment();
                        assertThat(r.mismatch(e)).isEqualTo(-1);
                    }
                }
                var report = away.report();
                assertThat(report.measuredBytes())
                        .isEqualTo(report.promisedBytes())
                        .isLessThanOrEqualTo(budget.resolve(0));
                assertThat(report.places().getFirst().measuredBytes())
                        .isEqualTo(report.places().getFirst().promisedBytes())
                        .isPositive()
                        .isLessThanOrEqualTo(room);
            }
        }
    }
}
