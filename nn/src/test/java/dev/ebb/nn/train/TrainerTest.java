package dev.ebb.nn.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.data.Offset.offset;

import dev.ebb.Next;
import dev.ebb.Tensorwise;
import dev.ebb.cpu.Cpu;
import dev.ebb.ir.DType;
import dev.ebb.ir.Shape;
import dev.ebb.nn.Activation;
import dev.ebb.nn.BatchNorm;
import dev.ebb.nn.Linear;
import dev.ebb.nn.Seed;
import dev.ebb.nn.data.Dataset;
import dev.ebb.nn.file.FileFormatException;
import dev.ebb.nn.model.Mlp;
import dev.ebb.nn.optim.Adam;
import dev.ebb.nn.optim.AdamW;
import dev.ebb.nn.optim.Sgd;
import dev.ebb.plan.Budget;
import dev.ebb.plan.OverBudgetException;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Key;
import dev.ebb.tensor.Tensor;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

class TrainerTest {
    private static final Cpu CPU = new Cpu(2);
    @TempDir Path folder;

    /** Points in a plane; the class is the quadrant. */
    private static Dataset points(int rows, long seed) {
        var x = new float[2 * rows];
        var y = new long[rows];
        for (int i = 0; i < rows; i++) {
            x[2 * i] = (float) new Seed(seed).normal(2L * i);
            x[2 * i + 1] = (float) new Seed(seed).normal(2L * i + 1);
            y[i] = (x[2 * i] > 0 ? 1 : 0) + (x[2 * i + 1] > 0 ? 2 : 0);
        }
        return Dataset.of(Array.of(Shape.of(rows, 2), x), Array.of(y));
    }

    private static Mlp net() {
        return Mlp.of(List.of(2, 16, 4), Activation.RELU, new Seed(1));
    }

    private static Trainer<Mlp, Network.None> trainer() {
        Network<Mlp, Network.None> network =
                Network.of(
                        (Mlp m, Tensor x, Key key) -> m.apply(x.dropout(0.1, key)),
                        (Mlp m, Tensor x) -> m.apply(x));
        return Trainer.of(net(), new Network.None(), network, Loss.crossEntropy())
                .on(points(90, 1), 8)
                .validating(points(30, 2), Metric.accuracy(), Metric.perplexity())
                .optimizer(AdamW.of(0.02))
                .computingOn(CPU)
                .epochs(3);
    }

    private static List<float[]> bits(Object model) {
        return Tensorwise.list(model).stream().map(Tensor::toFloats).toList();
    }

    private static void assertSameBits(TrainingResult<?, ?> a, TrainingResult<?, ?> b) {
        assertThat(a.history()).isEqualTo(b.history());
        assertThat(a.steps()).isEqualTo(b.steps());
        assertThat(bits(a.model())).containsExactly(bits(b.model()).toArray(float[][]::new));
    }

    @Test
    void aRunThatIsStoppedAnywhereGoesOnWithTheSameBits() throws IOException {
        var whole = trainer().train();
        assertThat(whole.isFinished()).isTrue();
        assertThat(whole.steps()).isEqualTo(33);
        assertThat(whole.history().getLast().figure("accuracy")).isGreaterThan(0.8);
        // in the middle of an epoch, at its last step, in the next one
        var kept = trainer().checkpoints(folder.resolve("a"), 100);
        assertThat(kept.stoppingWhen(r -> r.step() == 5).train().isFinished()).isFalse();
        assertThat(kept.stoppingWhen(r -> r.step() == 11).resume().history()).isEmpty();
        assertThat(kept.stoppingWhen(r -> r.step() == 17).resume().history()).hasSize(1);
        assertSameBits(kept.resume(), whole);
    }

    @Test
    void aRunGoesOnWithItsOwnOptimizer() throws IOException {
        var kept = trainer().checkpoints(folder.resolve("o"), 100);
        kept.optimizer(AdamW.of(0.01)).stoppingWhen(r -> r.step() == 5).train();
        assertThatThrownBy(() -> kept.optimizer(Sgd.of(0.01)).resume())
                .isInstanceOf(FileFormatException.class)
                .hasMessageContainingAll("no place for", "optimizer.slots.0", "begun with");
        // as many slots, and another rule
        assertThatThrownBy(() -> kept.optimizer(Adam.of(0.01)).resume())
                .isInstanceOf(FileFormatException.class)
                .hasMessageContaining(
                        "its optimizer is dev.ebb.nn.optim.AdamW, and that of this run is"
                                + " dev.ebb.nn.optim.Adam;");
        assertThat(kept.optimizer(AdamW.of(0.02)).resume().isFinished()).isTrue();
    }

    @Test
    void noBatchesAreNotAccumulated() {
        for (int batches : new int[] {0, -2})
            assertThatThrownBy(() -> trainer().accumulating(batches))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("accumulating the gradients of " + batches + " batches");
    }

    @Test
    void outputsThatAreNotOneForEachTargetAreRefused() {
        var rows = Array.of(Shape.of(5, 2), new float[10]);
        var data = Dataset.of(rows, Array.of(new float[5]));
        for (var loss : List.of(Loss.meanSquared(), Loss.binaryCrossEntropy()))
            assertThatThrownBy(
                            () ->
                                    Trainer.of(Linear.of(2, 5, new Seed(1)), loss)
                                            .on(data, 5)
                                            .computingOn(CPU)
                                            .train())
                    .hasMessageContainingAll("f32[5,5]", "f32[5]", "one output for each target");
    }

    @Test
    void trainingAndEvaluationStayInOneBudget() throws IOException {
        var free = trainer().epochs(1).train();
        assertThat(free.measuredBytes()).isEqualTo(free.promisedBytes());
        var budget = Budget.bytes(free.promisedBytes());
        var bound = trainer().epochs(1).within(budget).train();
        assertThat(bound.promisedBytes()).isLessThanOrEqualTo(free.promisedBytes());
        assertThat(bound.measuredBytes()).isEqualTo(bound.promisedBytes());
        assertSameBits(bound, free);
        assertThatThrownBy(() -> trainer().within(Budget.kibibytes(2)).train())
                .isInstanceOf(OverBudgetException.class);
    }

    private static Trainer<Mlp, Network.None> wide() {
        var net = Mlp.of(List.of(2, 24, 24, 24, 4), Activation.GELU, new Seed(1));
        return Trainer.of(net, Loss.crossEntropy())
                .on(points(512, 1), 256)
                .optimizer(Sgd.of(0.1))
                .computingOn(CPU)
                .cuttingBatches();
    }

    @Test
    void aBatchThatDoesNotFitIsCutWithTheSameBits() throws IOException {
        var free = wide().train();
        assertThat(free.cut()).isEmpty();
        long least = 0;
        try {
            wide().within(Budget.bytes(1)).train();
        } catch (OverBudgetException e) {
            assertThat(e).hasMessageContaining("with the batch cut into up to 16 parts");
            least = e.leastBytes();
        }
        var small = wide().within(Budget.bytes(least + least / 8)).train();
        assertSameBits(small, free);
        var cut = small.cut().orElseThrow();
        assertThat(cut.cuts()).isGreaterThan(1);
        assertThat(small.measuredBytes()).isEqualTo(small.promisedBytes());
        assertThat(small.promisedBytes()).isLessThan(cut.wholeBytes());
        assertThat(cut.toString()).contains("cut into " + cut.cuts() + " groups");
        assertThat(cut.cost()).isGreaterThan(cut.wholeCost() / 2);
    }

    @Test
    void accumulatingIsALargerBatch() throws IOException {
        var one =
                Trainer.of(net(), Loss.crossEntropy())
                        .optimizer(Sgd.of(0.1))
                        .computingOn(CPU)
                        .epochs(2);
        var large = one.on(points(64, 1), 32).train();
        var parts = one.on(points(64, 1), 8).accumulating(4).train();
        assertThat(parts.steps()).isEqualTo(large.steps());
        for (int t = 0; t < bits(large.model()).size(); t++) {
            var a = bits(large.model()).get(t);
            var b = bits(parts.model()).get(t);
            for (int i = 0; i < a.length; i++) assertThat(b[i]).isCloseTo(a[i], offset(1e-5f));
        }
    }

    @Test
    void sixteenBitsLearnToo() throws IOException {
        for (var type : List.of(DType.BF16, DType.F16)) {
            var trained = trainer().computingIn(type).clipping(1).epochs(4).train();
            assertThat(trained.history().getLast().figure("accuracy"))
                    .as("%s", type)
                    .isGreaterThan(0.8);
            assertThat(Tensorwise.list(trained.model()))
                    .allSatisfy(t -> assertThat(t.dtype()).isEqualTo(DType.F32));
        }
    }

    /** A layer, a norm over the batch, a layer. */
    public record Normed(Linear first, BatchNorm norm, Linear second) {}

    @Test
    void runningStatisticsAreCarriedAlong() throws IOException {
        var model =
                new Normed(
                        Linear.of(2, 8, new Seed(1)),
                        BatchNorm.of(8),
                        Linear.of(8, 4, new Seed(2)));
        var network =
                new Network<Normed, BatchNorm.Statistics>() {
                    @Override
                    public Next<BatchNorm.Statistics, Tensor> train(
                            Normed m, BatchNorm.Statistics s, Tensor x, Key key) {
                        var seen = m.norm().train(m.first().apply(x), s);
                        return new Next<>(seen.next(), m.second().apply(seen.out().relu()));
                    }

                    @Override
                    public Tensor apply(Normed m, BatchNorm.Statistics s, Tensor x) {
                        return m.second().apply(m.norm().apply(m.first().apply(x), s).relu());
                    }
                };
        var trainer =
                Trainer.of(model, BatchNorm.Statistics.of(8), network, Loss.crossEntropy())
                        .on(points(64, 1), 16)
                        .validating(points(32, 2), Metric.accuracy())
                        .optimizer(AdamW.of(0.05))
                        .computingOn(CPU)
                        .epochs(4);
        var trained = trainer.train();
        assertThat(trained.history().getLast().figure("accuracy")).isGreaterThan(0.7);
        assertThat(trained.statistics().mean().toFloats())
                .isNotEqualTo(BatchNorm.Statistics.of(8).mean().toFloats());
        assertThatThrownBy(() -> trainer.cuttingBatches().train())
                .hasMessageContaining("cannot be computed in parts");
    }

    @Test
    void earlyStoppingKeepsTheBest() throws IOException {
        // at a rate of zero nothing gets better after the first epoch
        var trained =
                trainer()
                        .optimizer(Sgd.of(0))
                        .epochs(10)
                        .stoppingEarly("loss", 2)
                        .checkpoints(folder.resolve("b"), 100)
                        .train();
        assertThat(trained.history()).hasSize(3);
        assertThat(trained.isFinished()).isTrue();
        assertThat(folder.resolve("b/best.safetensors")).exists();
        assertThatThrownBy(() -> trainer().stoppingEarly("f1", 2).train())
                .hasMessageContaining("name it in validating");
    }

    @Test
    void listenersAndLogsAreTold() throws IOException {
        var told = new ArrayList<String>();
        trainer()
                .epochs(1)
                .logging(folder.resolve("logs"))
                .checkpoints(folder.resolve("c"), 4)
                .progress(told::add)
                .telling(
                        new TrainingListener() {
                            @Override
                            public void step(StepReport r) {
                                told.add("step " + r.step() + " row " + r.row());
                            }

                            @Override
                            public void checkpoint(Path file) {
                                told.add("checkpoint");
                            }
                        })
                .train();
        assertThat(told).contains("step 1 row 8", "step 11 row 88");
        assertThat(told.stream().filter("checkpoint"::equals)).hasSize(3);
        assertThat(told.get(told.size() - 2)).matches("epoch 1, step 11: loss .*accuracy .*");
        try (var files = Files.list(folder.resolve("logs"))) {
            var values = EventFileTest.read(files.findFirst().orElseThrow());
            assertThat(values.stream().filter(v -> v.tag().equals("train/loss"))).hasSize(11);
            assertThat(values.getLast().tag()).isEqualTo("validation/perplexity");
        }
    }

    @Test
    void wrongFilesAndSettingsAreRefused() throws IOException {
        var kept = trainer().checkpoints(folder.resolve("d"), 100);
        assertThatThrownBy(kept::resume).hasMessageContaining("train() begins anew");
        kept.stoppingWhen(r -> r.step() == 2).train();
        assertThatThrownBy(kept::train).hasMessageContaining("is a checkpoint already");
        assertThatThrownBy(() -> kept.seed(new Seed(5)).resume())
                .hasMessageContaining("seed 0")
                .hasMessageContaining("seed 5");
        var file = folder.resolve("d/checkpoint.safetensors");
        var bytes = Files.readAllBytes(file);
        bytes[bytes.length - 3] ^= 1;
        Files.write(file, bytes);
        assertThatThrownBy(kept::resume)
                .isInstanceOf(FileFormatException.class)
                .hasMessageContaining("digest");
        assertThatThrownBy(() -> Trainer.of(net(), Loss.crossEntropy()).train())
                .hasMessageContaining("there are no data");
        assertThatThrownBy(() -> trainer().optimizer(Sgd.of(1e30)).train())
                .hasMessageContaining("smaller learning rate");
    }
}
