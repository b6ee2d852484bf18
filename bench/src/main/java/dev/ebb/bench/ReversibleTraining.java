package dev.ebb.bench;

import dev.ebb.Ebb;
import dev.ebb.Fn2;
import dev.ebb.Next;
import dev.ebb.cpu.Cpu;
import dev.ebb.nn.Seed;
import dev.ebb.nn.data.Corpus;
import dev.ebb.nn.model.Gpt2;
import dev.ebb.nn.model.LanguageModel;
import dev.ebb.nn.model.ReversibleGpt;
import dev.ebb.nn.optim.AdamW;
import dev.ebb.nn.optim.Gradients;
import dev.ebb.nn.optim.Optimizer;
import dev.ebb.tensor.Tensor;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Trains a plain and a reversible GPT of the same sizes on the same passages of this project's
 * sources, for several seeds. Arguments: steps and seeds, by default 1000 and 3.
 */
public final class ReversibleTraining {
    private static final Gpt2.Config SIZES = Gpt2.Config.of(Corpus.VOCABULARY, 64, 64, 4, 4);
    private static final int BATCH = 8;

    private ReversibleTraining() {}

    private record State<M>(M model, Optimizer.State<M> optimizer) {}

    public static void main(String[] args) throws IOException {
        int steps = args.length > 0 ? Integer.parseInt(args[0]) : 1000;
        int seeds = args.length > 1 ? Integer.parseInt(args[1]) : 3;
        var corpus = sources();
        System.out.printf(
                "%d bytes of text, %.3f nats by frequency alone%n",
                corpus.length(), corpus.unigramEntropy());
        for (int seed = 1; seed <= seeds; seed++) {
            var plain = Gpt2.of(SIZES, new Seed(seed));
            System.out.printf(
                    "seed %d: mean loss of the last tenth of %d steps: plain %.3f, reversible"
                            + " %.3f%n",
                    seed,
                    steps,
                    trained(plain, steps, corpus),
                    trained(new ReversibleGpt(plain), steps, corpus));
        }
    }

    private static Corpus sources() throws IOException {
        var text = new ByteArrayOutputStream();
        // run from the root of the repository, or by Maven from this module
        var core = Path.of("core", "src", "main", "java");
        var root = Files.isDirectory(core) ? core : Path.of("..").resolve(core);
        try (var files = Files.walk(root)) {
            for (var file : files.filter(f -> f.toString().endsWith(".java")).sorted().toList())
                text.write(Files.readAllBytes(file));
        }
        return new Corpus(text.toByteArray());
    }

    private static <M extends LanguageModel> double trained(M model, int steps, Corpus corpus) {
        var optimizer = AdamW.of(1e-3);
        Fn2<State<M>, Corpus.Batch, Next<State<M>, Tensor>> step =
                (s, b) -> {
                    var loss =
                            Ebb.valueAndGrad((M m) -> m.loss(b.ids(), b.targets()))
                                    .apply(s.model());
                    var gradients = Gradients.clipped(loss.grad(), 1);
                    var next = optimizer.update(s.model(), gradients, s.optimizer());
                    return new Next<>(new State<>(next.params(), next.state()), loss.value());
                };
        double sum = 0;
        int last = Math.max(1, steps / 10);
        var start = new State<>(model, optimizer.start(model));
        try (var cpu = new Cpu();
                var stepper = Ebb.stepper(step).on(cpu).start(start, batch(corpus, 0))) {
            for (int i = 0; i < steps; i++) {
                double loss = stepper.step(batch(corpus, i)).item();
                if (i >= steps - last) sum += loss;
            }
        }
        return sum / last;
    }

    private static Corpus.Batch batch(Corpus corpus, int step) {
        return corpus.batch(BATCH, SIZES.context(), new Seed(7), step);
    }
}
