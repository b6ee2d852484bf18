package dev.ebb.cli;

import dev.ebb.Devices;
import dev.ebb.Ebb;
import dev.ebb.cli.option.Refusal;
import dev.ebb.cli.report.RunWatch;
import dev.ebb.cli.studio.TrainingBackend;
import dev.ebb.nn.Seed;
import dev.ebb.nn.data.Corpus;
import dev.ebb.nn.data.SourceText;
import dev.ebb.nn.generate.Generator;
import dev.ebb.nn.generate.Sampling;
import dev.ebb.nn.model.Pretrained;
import dev.ebb.plan.Budget;
import dev.ebb.tensor.Tensor;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Runs training for the studio by the {@code train} command, and reports its events. */
final class StudioTraining implements TrainingBackend {
    private static final int PASSAGES = 8;
    private static final int SAMPLE = 300;

    @Override
    public int train(List<String> arguments, RunWatch watch, PrintWriter out, PrintWriter err) {
        var line = Main.commandLine(watch);
        line.setOut(out);
        line.setErr(err);
        return line.execute(arguments.toArray(String[]::new));
    }

    @Override
    public double loss(Path checkpoint, Path text) throws IOException {
        var model = Pretrained.load(checkpoint);
        var corpus = new Corpus(Files.readAllBytes(text));
        int context = Math.min(model.context(), corpus.length() - 1);
        var batch = corpus.batch(PASSAGES, context, new Seed(1).of("held out"), 0);
        try (var loss = Ebb.compile((Corpus.Batch b) -> model.loss(b.ids(), b.targets()))) {
            Tensor found = loss.apply(batch);
            return found.item();
        }
    }

    @Override
    public String sample(Path checkpoint, String prompt) throws IOException {
        var model = Pretrained.load(checkpoint);
        int context = Math.min(model.context(), SAMPLE);
        try (var generator = new Generator(model, 1, context, Budget.unlimited(), Devices.best())) {
            var sampling = Sampling.plain().temperature(0.8).top(40);
            var bytes = prompt.getBytes(StandardCharsets.UTF_8);
            var tokens = new int[bytes.length];
            for (int i = 0; i < tokens.length; i++) tokens[i] = bytes[i] & 0xff;
            var drawn =
                    generator.generate(List.of(tokens), SAMPLE, sampling, new Seed(1)).getFirst();
            var text = new StringBuilder(prompt);
            var reader = new Utf8Text();
            for (int token : drawn) text.append(reader.add((byte) token));
            return text + reader.end();
        }
    }

    @Override
    public byte[] ownText() throws IOException {
        var home = SourceText.home();
        if (home.isEmpty())
            throw new Refusal("Ebb's own sources are not here; choose a text file of the folder");
        return SourceText.read(home.get());
    }
}
