package dev.ebb.nn.adapt;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.Ebb;
import dev.ebb.Fn2;
import dev.ebb.Next;
import dev.ebb.Tensorwise;
import dev.ebb.cpu.Cpu;
import dev.ebb.ir.Shape;
import dev.ebb.nn.Dense;
import dev.ebb.nn.Linear;
import dev.ebb.nn.Seed;
import dev.ebb.nn.adapt.QuantisedDense.Bits;
import dev.ebb.nn.model.AutoregressiveModel;
import dev.ebb.nn.model.Gpt2;
import dev.ebb.nn.optim.AdamW;
import dev.ebb.nn.optim.Gradients;
import dev.ebb.nn.optim.Optimizer;
import dev.ebb.plan.Budget;
import dev.ebb.plan.StoreAll;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;

/** The memory of training the whole model, of adapters, and of adapters with quantised weights. */
class FineTuningMemoryTest {
    private static final Cpu CPU = new Cpu(2);
    private static final AdamW RULE = AdamW.of(1e-2);

    record Whole(AutoregressiveModel model, Optimizer.State<AutoregressiveModel> optimizer) {}

    record Adapted(
            AutoregressiveModel frozen,
            LoraAdapters adapters,
            Optimizer.State<LoraAdapters> optimizer) {

        static Adapted of(AutoregressiveModel frozen, LoraConfig config) {
            var adapters = LoraAdapters.of(frozen, config, new Seed(2));
            return new Adapted(frozen, adapters, RULE.start(adapters));
        }
    }

    record Batch(Tensor ids, Tensor targets) {
        static Batch of(int vocabulary, int rows, int time) {
            var ids = new long[rows * time];
            var targets = new long[rows * time];
            for (int i = 0; i < ids.length; i++) {
                ids[i] = new Seed(5).below(vocabulary, i);
                targets[i] = (ids[i] + 1) % vocabulary;
            }
            return new Batch(
                    Array.of(Shape.of(rows, time), ids), Array.of(Shape.of(rows, time), targets));
        }
    }

    private static final Fn2<Whole, Batch, Next<Whole, Tensor>> ALL =
            (state, batch) -> {
                var loss =
                        Ebb.valueAndGrad(
                                        (AutoregressiveModel m) -> m.loss(batch.ids, batch.targets))
                                .apply(state.model);
                var next =
                        RULE.update(
                                state.model, Gradients.clipped(loss.grad(), 1), state.optimizer);
                return new Next<>(new Whole(next.params(), next.state()), loss.value());
            };

    private static final Fn2<Adapted, Batch, Next<Adapted, Tensor>> ADAPTERS =
            (state, batch) -> {
                var loss =
                        Ebb.valueAndGrad(
                                        (LoraAdapters a) ->
                                                a.on(state.frozen).loss(batch.ids, batch.targets))
                                .apply(state.adapters);
                var next =
                        RULE.update(
                                state.adapters, Gradients.clipped(loss.grad(), 1), state.optimizer);
                return new Next<>(
                        new Adapted(state.frozen, next.params(), next.state()), loss.value());
            };

    /** Layers of one shape share their codes: a plan depends on types only. */
    private static AutoregressiveModel rounded(AutoregressiveModel model, Bits bits) {
        var made = new HashMap<Shape, Dense>();
        return model.rewritten(
                (_, layer) ->
                        made.computeIfAbsent(
                                ((Linear) layer).weight().shape(),
                                _ -> QuantisedDense.of(layer, bits)));
    }

    /** Also checks the table of docs/guide/17-fine-tuning.md, whose rows these are. */
    @Test
    void adaptersOfGpt2TakeAThirdAndWithEightBitsAQuarter() throws IOException {
        var gpt = Gpt2.blank(Gpt2.Config.of(50257, 1024, 768, 12, 12));
        var eightBits = rounded(gpt, Bits.EIGHT);
        var fourBits = rounded(gpt, Bits.FOUR);
        var batch = Batch.of(50257, 1, 128);
        double all =
                Ebb.stepper(ALL)
                        .with(new StoreAll())
                        .on(CPU)
                        .plan(new Whole(gpt, RULE.start(gpt)), batch)
                        .peakBytes();
        var attention = LoraConfig.of(8).at("c_attn");
        var every = LoraConfig.of(8);
        double adapters = adapted(gpt, every, batch);
        double eight = adapted(eightBits, every, batch);
        double four = adapted(fourBits, every, batch);
        assertThat(adapters / all).isLessThan(0.35);
        assertThat(eight / all).isLessThan(0.25);
        // codes of 85 million weights take 41 MiB less, and their scales 4 MiB more
        assertThat(four / all).isLessThan(0.17);
        assertThat(four).isLessThan(eight - (30 << 20));
        assertThat(Files.readString(Path.of("..", "docs", "guide", "17-fine-tuning.md")))
                .contains("| all weights trained | %s |\n".formatted(mebibytes(all)))
                .contains(
                        row("adapters of rank 8 at `c_attn`", adapted(gpt, attention, batch), all))
                .contains(row("the same, 8-bit weights", adapted(eightBits, attention, batch), all))
                .contains(row("the same, 4-bit weights", adapted(fourBits, attention, batch), all))
                .contains(row("adapters at every dense layer", adapters, all))
                .contains(row("the same, 8-bit weights", eight, all))
                .contains(row("the same, 4-bit weights", four, all));
    }

    private static String row(String name, double bytes, double all) {
        var text = "| %s | %s (%.2f) |\n";
        return String.format(Locale.ROOT, text, name, mebibytes(bytes), bytes / all);
    }

    private static String mebibytes(double bytes) {
        return String.format(Locale.ROOT, "%,.0f MiB", bytes / (1 << 20));
    }

    private static double adapted(AutoregressiveModel model, LoraConfig config, Batch batch) {
        return Ebb.stepper(ADAPTERS)
                .with(new StoreAll())
                .on(CPU)
                .plan(Adapted.of(model, config), batch)
                .peakBytes();
    }

    @Test
    void whatIsPromisedIsMeasuredAndTheLossFalls() {
        var gpt = Gpt2.of(Gpt2.Config.of(20, 16, 32, 2, 2), new Seed(1));
        for (var model : List.of(gpt, rounded(gpt, Bits.EIGHT), rounded(gpt, Bits.FOUR))) {
            var batch = Batch.of(20, 4, 16);
            var start = Adapted.of(model, LoraConfig.of(4));
            long all = Ebb.stepper(ADAPTERS).on(CPU).plan(start, batch).storeAllBytes();
            var tight = Budget.bytes(all * 97 / 100);
            try (var training = Ebb.stepper(ADAPTERS).within(tight).on(CPU).start(start, batch)) {
                double first = training.step(batch).item();
                double last = first;
                for (int i = 0; i < 40; i++) last = training.step(batch).item();
                assertThat(last).isLessThan(0.85 * first);
                var report = training.report();
                assertThat(report.measuredBytes())
                        .isEqualTo(report.promisedBytes())
                        .isLessThanOrEqualTo(all * 97 / 100);
                var before = Tensorwise.list(start.frozen);
                var after = Tensorwise.list(training.state().frozen);
                for (int i = 0; i < before.size(); i++)
                    assertThat(after.get(i).sameBits(before.get(i))).isTrue();
            }
        }
    }

    @Test
    void frozenTensorsHaveNoStateAndStay() {
        var gpt = Gpt2.of(Gpt2.Config.of(20, 16, 32, 2, 2), new Seed(1));
        var last = Freezing.training(gpt, name -> name.startsWith("blocks.1."));
        var parts = last.of(gpt);
        assertThat(parts.trained()).hasSize(12);
        assertThat(Tensorwise.list(RULE.start(parts.trained()).slots())).hasSize(24);
        assertThat(Tensorwise.list(last.joined(gpt, parts))).isEqualTo(Tensorwise.list(gpt));
        var batch = Batch.of(20, 4, 16);
        Fn2<List<Tensor>, Batch, Tensor> loss =
                (trained, b) ->
                        last.joined(gpt, new Freezing.Parts(trained, parts.frozen()))
                                .loss(b.ids(), b.targets());
        Fn2<Gpt2, Batch, Tensor> whole = (m, b) -> m.loss(b.ids(), b.targets());
        long some = bytes(loss, parts.trained(), batch);
        long all = bytes(whole, gpt, batch);
        long gradients = parts.frozen().stream().mapToLong(t -> t.type().bytes()).sum();
        // neither the frozen gradients nor the values from which they would be computed
        assertThat(some).isLessThan(all - gradients);
        assertThat(Ebb.valueAndGrad(loss).apply(parts.trained(), batch).value().item())
                .isEqualTo(whole.apply(gpt, batch).item());
    }

    private static <P> long bytes(Fn2<P, Batch, Tensor> loss, P at, Batch batch) {
        try (var compiled =
                Ebb.compile((P p, Batch b) -> Ebb.valueAndGrad(loss).apply(p, b).grad()).on(CPU)) {
            return compiled.plan(at, batch).storeAllBytes();
        }
    }
}
