package dev.ebb.nn;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.Ebb;
import dev.ebb.Fn;
import dev.ebb.Tensorwise;
import dev.ebb.cpu.Cpu;
import dev.ebb.ir.Shape;
import dev.ebb.nn.model.Gpt2;
import dev.ebb.plan.Budget;
import dev.ebb.plan.Curve;
import dev.ebb.plan.schedule.Disk;
import dev.ebb.plan.schedule.Host;
import dev.ebb.plan.schedule.Place;
import dev.ebb.tensor.Array;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A GPT in three places at once: the arena, a pool of host memory and a disk. */
class PlacesTest {
    @TempDir Path folder;

    private static final Array TOKENS = tokens();

    private static final Fn<Gpt2, Ebb.ValueAndGrad<Gpt2>> GRADIENT =
            m -> Ebb.valueAndGrad((Gpt2 g) -> g.loss(TOKENS, TOKENS)).apply(m);

    private static Array tokens() {
        var tokens = new long[2 * 32];
        for (int i = 0; i < tokens.length; i++) tokens[i] = i * 7919L % 64;
        return Array.of(Shape.of(2, 32), tokens);
    }

    @Test
    void morePlacesAreNeverSlowerAndEachKeepsItsPromise() {
        var model = Gpt2.of(Gpt2.Config.of(64, 32, 32, 1, 2), new Seed(1));
        var host = Host.memory(32 << 10);
        var disk = Disk.in(folder, 8 << 20);
        try (var cpu = new Cpu(1);
                var all = Ebb.compile(GRADIENT).on(cpu)) {
            var expected = Tensorwise.list(all.apply(model));
            long least = all.plan(model).leastBytes();
            long most = all.plan(model).storeAllBytes();
            var curves = new ArrayList<Curve>();
            for (var places :
                    List.<List<Place>>of(
                            List.of(), List.of(host), List.of(disk), List.of(host, disk))) {
                var budget = new Budget.WithPlaces(Budget.unlimited(), places);
                curves.add(Ebb.compile(GRADIENT).within(budget).on(cpu).plan(model).curve());
            }
            var three = curves.removeLast();
            for (double part : new double[] {0, 0.4}) {
                var budget = Budget.bytes(least + (long) (part * (most - least)));
                for (var fewer : curves)
                    assertThat(three.at(budget).cost())
                            .as("%s", budget)
                            .isLessThanOrEqualTo(fewer.at(budget).cost());
            }
            var memory = Budget.bytes(three.leastBytes());
            try (var away = Ebb.compile(GRADIENT).within(memory.with(host).with(disk)).on(cpu)) {
                var found = Tensorwise.list(away.apply(model));
                for (int i = 0; i < expected.size(); i++) {
                    var e = ((Array) expected.get(i)).data().segment();
                    var r = ((Array) found.get(i)).data().segment();
                    assertThat(r.mismatch(e)).isEqualTo(-1);
                }
                var report = away.report();
                assertThat(report.measuredBytes())
                        .isEqualTo(report.promisedBytes())
                        .isLessThanOrEqualTo(memory.resolve(0));
                for (var there : report.places())
                    assertThat(there.measuredBytes())
                            .isEqualTo(there.promisedBytes())
                            .isPositive()
                            .isLessThanOrEqualTo(there.place().bytes());
            }
        }
    }
}
