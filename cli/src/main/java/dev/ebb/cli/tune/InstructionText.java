package dev.ebb.cli.tune;

import dev.ebb.cli.option.Refusal;
import dev.ebb.ir.Shape;
import dev.ebb.nn.Seed;
import dev.ebb.nn.data.Instructions;
import dev.ebb.nn.file.Json;
import dev.ebb.nn.file.TextFile;
import dev.ebb.nn.tokens.Tokenizer;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.network.CrossEntropy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Prompts with their responses, one per row. Only the tokens of the response count, and the
 * end-of-text token after them if the model's config names one; rows are padded.
 */
record InstructionText(List<Row> rows, int trained, int context, int batch, int cut)
        implements TuningText {
    /** The target of tokens that do not count. */
    private static final int NOTHING = -1;

    private static final int MOST_EVALUATIONS = 8;

    /** The tokens of a prompt and its response; those from {@code response} on count. */
    private record Row(int[] ids, int response) {}

    static InstructionText of(byte[] text, Path model, int vocabulary, TuningSettings s)
            throws IOException {
        var name = Path.of("--instructions");
        var read = Instructions.parse(name, TextFile.decoded(name, text));
        var tokenizer = TuningText.tokenizer(model);
        var end = end(model).filter(id -> id >= 0 && id < vocabulary);
        var rows = new ArrayList<Row>();
        int cut = 0;
        for (int i = 0; i < read.examples().size(); i++) {
            var example = read.examples().get(i);
            var prompt =
                    TuningText.ids(
                            bytes(example.prompt()),
                            tokenizer,
                            Tokenizer::encodeStart,
                            model,
                            vocabulary);
            var response =
                    TuningText.ids(
                            bytes(example.response()),
                            tokenizer,
                            Tokenizer::encode,
                            model,
                            vocabulary);
            if (prompt.length >= s.context())
                throw new Refusal(
                        ("instruction %s has a prompt of %s tokens, which leaves no room for its"
                             + " response in a context of %s; give a larger --context or shorten"
                             + " it")
                                .formatted(i + 1, prompt.length, s.context()));
            var ids = joined(prompt, response, end);
            if (ids.length > s.context() + 1) cut++;
            int first = Math.max(1, prompt.length);
            if (ids.length <= first)
                throw new Refusal(
                        "instruction " + (i + 1) + " has no token of its response to learn");
            rows.add(new Row(Arrays.copyOf(ids, Math.min(ids.length, s.context() + 1)), first));
        }
        int held = (int) Math.round(rows.size() * s.heldOut());
        if (held == rows.size())
            throw new Refusal(
                    rows.size() + " instructions, all held out; give more, or --held-out 0");
        return new InstructionText(rows, rows.size() - held, s.context(), s.batch(), cut);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static int[] joined(int[] prompt, int[] response, Optional<Integer> end) {
        var all =
                Arrays.copyOf(prompt, prompt.length + response.length + (end.isPresent() ? 1 : 0));
        System.arraycopy(response, 0, all, prompt.length, response.length);
        if (end.isPresent()) all[all.length - 1] = end.get();
        return all;
    }

    /** The end-of-text token: eos_token_id of the model's config, or the first of several. */
    private static Optional<Integer> end(Path model) throws IOException {
        var config = TuningText.beside(model, "config.json");
        if (!Files.isRegularFile(config)) return Optional.empty();
        var named = Json.read(config).at("eos_token_id");
        var one = named.map(n -> n.elements().isEmpty() ? n : n.elements().getFirst());
        return one.flatMap(Json::whole).filter(n -> n == n.intValue()).map(Long::intValue);
    }

    @Override
    public CrossEntropy loss() {
        return CrossEntropy.mean().ignoring(NOTHING);
    }

    @Override
    public String description() {
        return String.format(
                Locale.ROOT,
                "batch %d of %,d instructions, %,d held out, in %d tokens each%s",
                batch,
                trained,
                rows.size() - trained,
                context,
                cut == 0 ? "" : "; the ends of " + cut + " responses do not fit and are left out");
    }

    @Override
    public TuningState.Input training(Seed seed, long step) {
        var own = seed.of(step);
        var chosen = new int[batch];
        for (int i = 0; i < batch; i++) chosen[i] = (int) own.below(trained, i);
        return input(chosen, 1);
    }

    @Override
    public int evaluations() {
        return Math.min(MOST_EVALUATIONS, Math.ceilDiv(rows.size() - trained, batch));
    }

    /** Held-out instructions at equal distances. */
    @Override
    public TuningState.Input heldOut(int number) {
        long held = rows.size() - trained;
        long all = (long) evaluations() * batch;
        var chosen = new int[batch];
        for (int i = 0; i < batch; i++)
            chosen[i] = trained + (int) (held * ((long) number * batch + i) / all);
        return input(chosen, 0);
    }

    private TuningState.Input input(int[] chosen, float training) {
        var in = new long[batch * context];
        var out = new long[batch * context];
        Arrays.fill(out, NOTHING);
        for (int i = 0; i < batch; i++) {
            var row = rows.get(chosen[i]);
            for (int t = 0; t + 1 < row.ids.length; t++) {
                in[i * context + t] = row.ids[t];
                if (t + 1 >= row.response) out[i * context + t] = row.ids[t + 1];
            }
        }
        var shape = Shape.of(batch, context);
        return new TuningState.Input(
                Array.of(shape, in), Array.of(shape, out), Array.scalar(training));
    }
}
