package dev.ebb.cli.tune;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.ebb.Tensorwise;
import dev.ebb.cli.Shell;
import dev.ebb.cpu.Cpu;
import dev.ebb.nn.Seed;
import dev.ebb.nn.adapt.FrozenSource;
import dev.ebb.nn.adapt.LoraFiles;
import dev.ebb.nn.data.Corpus;
import dev.ebb.nn.file.Safetensors;
import dev.ebb.nn.model.Gpt2;
import dev.ebb.nn.model.Pretrained;
import dev.ebb.nn.model.Weights;
import dev.ebb.tensor.Array;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import picocli.CommandLine;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Tests the {@code finetune} command on a model of a few thousand parameters. */
class FinetuneTest {
    private static final String TEXT = "the tide comes and the tide goes and the moon ";

    @TempDir Path folder;

    private record Told(int code, String out, String err) {}

    private static Told run(String... arguments) {
        var out = new StringWriter();
        var err = new StringWriter();
        var line = new CommandLine(new FinetuneCommand());
        line.setOut(new PrintWriter(out, true));
        line.setErr(new PrintWriter(err, true));
        line.setExecutionExceptionHandler(
                (e, command, _) -> {
                    command.getErr().println(e.getMessage());
                    return 1;
                });
        return new Told(line.execute(arguments), out.toString(), err.toString());
    }

    /** A model in its published layout, with a tokenizer of letters and two pairs. */
    private Path model() throws IOException {
        var drawn = Gpt2.of(Gpt2.Config.of(32, 24, 16, 2, 2), new Seed(1));
        var model = Tensorwise.map(drawn, t -> t.rank() == 2 ? t.mul(10) : t);
        var from = Files.createDirectories(folder.resolve("model"));
        Safetensors.write(
                from.resolve("model.safetensors"),
                Weights.named(model, Pretrained.naming(model).orElseThrow()),
                Map.of("format", "pt"));
        Files.writeString(
                from.resolve("config.json"),
                "{\"model_type\": \"gpt2\", \"n_head\": 2, \"torch_dtype\": \"bfloat16\"}");
        var vocabulary = new ArrayList<String>();
        for (char c = 'a'; c <= 'z'; c++) vocabulary.add("\"" + c + "\": " + (c - 'a'));
        vocabulary.addAll(List.of("\" \": 26", "\"th\": 27", "\"the\": 28"));
        Files.writeString(
                from.resolve("tokenizer.json"),
                "{\"model\": {\"type\": \"BPE\", \"vocab\": {"
                        + String.join(", ", vocabulary)
                        + "}, \"merges\": [[\"t\", \"h\"], [\"th\", \"e\"]]}}");
        return from;
    }

    private Path text() throws IOException {
        return Files.writeString(folder.resolve("text.txt"), TEXT.repeat(40));
    }

    private Told tune(Path out, String... more) throws IOException {
        var words =
                new ArrayList<>(
                        List.of(
                                "--from",
                                model().toString(),
                                "--text",
                                text().toString(),
                                "--out",
                                out.toString(),
                                "--context",
                                "16",
                                "--rank",
                                "4",
                                "--rate",
                                "0.02",
                                "--device",
                                "cpu",
                                "--budget",
                                "4MiB"));
        for (int i = 0; i < more.length; i++) {
            int before = words.indexOf(more[i]);
            if (before >= 0) words.set(before + 1, more[++i]);
            else words.add(more[i]);
        }
        return run(words.toArray(String[]::new));
    }

    private static double number(String text, String before, String after) {
        int from = text.indexOf(before) + before.length();
        return Double.parseDouble(text.substring(from, text.indexOf(after, from)));
    }

    @Test
    void learnsAndWritesThePublishedLayout() throws IOException {
        var out = folder.resolve("tuned");
        var told = tune(out, "--steps", "30", "--merge");
        assertThat(told.err).isEmpty();
        assertThat(told.code).isZero();
        assertThat(told.out).contains("frozen in 32 bits; adapters of rank 4");
        double first = number(told.out, "held-out loss: ", " ->");
        double last = number(told.out, " -> ", "\n");
        assertThat(last).isLessThan(0.8 * first);
        // the tokens are the tokenizer's: "the" is one
        assertThat(number(told.out.replace(",", ""), "batch 4 x 16 of ", " tokens"))
                .isLessThan(0.85 * TEXT.length() * 40);
        var base = Pretrained.load(folder.resolve("model"));
        var adapters = LoraFiles.read(out, base);
        var merged = Pretrained.load(out.resolve("merged"));
        var ids = Array.of(new int[][] {{28, 26, 19, 8, 3, 4}});
        var apart = adapters.on(base).logits(ids).toFloats();
        var together = merged.logits(ids).toFloats();
        for (int i = 0; i < apart.length; i++)
            assertThat((double) together[i]).isCloseTo(apart[i], within(1e-5));
        assertThat(Files.readString(out.resolve("merged/config.json")))
                .contains("\"torch_dtype\":\"float32\"");
        assertThat(out.resolve("merged/tokenizer.json")).exists();
        checkedByPython(folder.resolve("model"), out);
        var written =
                Shell.run(
                        "generate",
                        "--from",
                        folder.resolve("model").toString(),
                        "--adapters",
                        out.toString(),
                        "--length",
                        "12",
                        "--temperature",
                        "0",
                        "--device",
                        "cpu",
                        "the tide");
        assertThat(written.err()).isEmpty();
        assertThat(written.out()).startsWith("the tide").hasSizeGreaterThan(20);
        // promised is measured
        var memory = told.out.substring(told.out.indexOf("memory: promised "));
        assertThat(memory.substring(17, memory.indexOf(", measured")))
                .isEqualTo(
                        memory.substring(
                                memory.indexOf("measured ") + 9, memory.indexOf(", budget")));
    }

    /** Reads the files with numpy, if it is installed, without any of Ebb's code. */
    private static void checkedByPython(Path base, Path tuned) throws IOException {
        var python = Path.of("/usr/bin/python3");
        if (!Files.isExecutable(python)) return;
        var script = Path.of("../nn/src/test/scripts/models/plain.py");
        var code =
                "import runpy, sys\n"
                        + "try: import numpy\n"
                        + "except ImportError: sys.exit(0)\n"
                        + "sys.argv = sys.argv[1:]\n"
                        + "runpy.run_path(sys.argv[0], run_name='__main__')\n";
        var child =
                new ProcessBuilder(
                                python.toString(),
                                "-c",
                                code,
                                script.toString(),
                                base.toString(),
                                tuned.toString())
                        .redirectErrorStream(true)
                        .start();
        var said = new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(child.onExit().join().exitValue()).as(said).isZero();
    }

    @Test
    void goesOnBitForBit() throws IOException {
        var settings =
                new TuningSettings(
                        model().toString(),
                        "4MiB",
                        2,
                        4,
                        List.of(),
                        8,
                        2,
                        16,
                        6,
                        0.01,
                        0.2,
                        3,
                        50,
                        1,
                        TuningText.Format.PLAIN);
        var bytes = Files.readAllBytes(text());
        var digest = new Corpus(bytes).digest();
        List<Double> straight;
        byte[] expected;
        var out = Files.createDirectories(folder.resolve("out"));
        try (var file = Pretrained.open(folder.resolve("model"), "")) {
            var source = FrozenSource.of(file, settings.rounding().orElseThrow());
            var tokens = TokenText.of(bytes, folder.resolve("model"), 32, settings);
            try (var tuning = new Tuning(source, settings, tokens, List.of(), new Cpu(1))) {
                for (int i = 0; i < 3; i++) tuning.step();
                tuning.save(out, digest);
                tuning.evaluate();
                for (int i = 0; i < 3; i++) tuning.step();
                straight = tuning.losses();
                tuning.save(Files.createDirectories(folder.resolve("straight")), digest);
            }
            expected = Files.readAllBytes(folder.resolve("straight/adapter_model.safetensors"));
        }
        var told = run("--resume", "--out", Files.move(out, folder.resolve("on")).toString());
        assertThat(told.err).contains("text.bin");
        Files.write(folder.resolve("on/text.bin"), bytes);
        var file = folder.resolve("model/model.safetensors");
        var stored = Files.readAllBytes(file);
        var other = stored.clone();
        other[other.length - 2] ^= 1;
        Files.write(file, other);
        told = run("--resume", "--device", "cpu", "--out", folder.resolve("on").toString());
        assertThat(told.err).contains("is not the one that the run in");
        Files.write(file, stored);
        var again = run("--resume", "--device", "cpu", "--out", folder.resolve("on").toString());
        assertThat(again.err).isEmpty();
        assertThat(again.out).contains("going on after step 3", "frozen in 8 bits");
        assertThat(TuningCheckpoint.read(folder.resolve("on")).losses()).isEqualTo(straight);
        assertThat(Files.readAllBytes(folder.resolve("on/adapter_model.safetensors")))
                .isEqualTo(expected);
    }

    @Test
    void whatCannotBeDoneIsToldInWords() throws IOException {
        assertThat(run("--text", text().toString()).err).contains("--from");
        assertThat(run("--from", model().toString()).err).contains("--text");
        assertThat(tune(folder.resolve("a"), "--bits", "5").err).contains("32, 8 or 4, not 5");
        assertThat(tune(folder.resolve("b"), "--targets", "q_proj").err)
                .contains("no dense layer is called q_proj");
        assertThat(tune(folder.resolve("c"), "--context", "99").err).contains("1 to 24");
        assertThat(run("--resume", "--out", folder.resolve("d").toString()).err)
                .contains("no fine-tuning run");
        Files.createDirectories(folder.resolve("d"));
        Files.write(folder.resolve("d/text.bin"), new byte[1]);
        assertThat(run("--resume", "--out", folder.resolve("d").toString()).err)
                .contains("ended before its first checkpoint");
        assertThat(tune(folder.resolve("e"), "--budget", "70000").err).contains("least");
        var out = Files.createDirectories(folder.resolve("f"));
        Files.write(out.resolve(TuningCheckpoint.FILE), "junk".getBytes(StandardCharsets.UTF_8));
        assertThat(tune(out).err).contains("holds a run already");
        assertThat(run("--resume", "--steps", "9", "--out", out.toString()).err)
                .contains("--steps cannot be changed", "as it was begun");
        assertThat(run("--resume", "--out", out.toString()).err).contains("truncated or not");
    }

    private static final String INSTRUCTIONS =
            """
            {"prompt": "the tide ", "response": "comes"}

            {"prompt": "the moon ", "response": "goes"}
            """;

    /** Only the tokens of responses and the end-of-text tokens after them count. */
    @Test
    void onlyResponsesCount() throws IOException {
        Files.writeString(
                model().resolve("config.json"),
                "{\"model_type\": \"gpt2\", \"n_head\": 2, \"eos_token_id\": [31, 5]}");
        var settings =
                new TuningSettings(
                        "",
                        "4MiB",
                        4,
                        8,
                        List.of(),
                        32,
                        2,
                        16,
                        1,
                        0.1,
                        0.5,
                        1,
                        1,
                        1,
                        TuningText.Format.INSTRUCTIONS);
        var text =
                TuningText.of(
                        INSTRUCTIONS.getBytes(StandardCharsets.UTF_8),
                        folder.resolve("model"),
                        32,
                        settings);
        assertThat(text.description())
                .isEqualTo("batch 2 of 1 instructions, 1 held out, in 16 tokens each");
        var batch = text.training(new Seed(1), 0);
        // "the" " " t i d e " " | c o m e s | end
        assertThat(batch.ids().at(0, 0).toInts())
                .startsWith(28, 26, 19, 8, 3, 4, 26, 2, 14, 12, 4, 18, 0);
        assertThat(batch.targets().at(0, 0).toInts())
                .containsExactly(-1, -1, -1, -1, -1, -1, 2, 14, 12, 4, 18, 31, -1, -1, -1, -1);
        assertThat(text.evaluations()).isOne();
        assertThat(text.heldOut(0).targets().at(0, 1).toInts()).contains(31).startsWith(-1);
    }

    @Test
    void learnsResponses() throws IOException {
        var lines = Files.writeString(folder.resolve("all.jsonl"), INSTRUCTIONS.repeat(10));
        var out = folder.resolve("instructed");
        var told =
                run(
                        "--from",
                        model().toString(),
                        "--instructions",
                        lines.toString(),
                        "--out",
                        out.toString(),
                        "--context",
                        "24",
                        "--rate",
                        "0.02",
                        "--device",
                        "cpu",
                        "--budget",
                        "4MiB",
                        "--steps",
                        "30");
        assertThat(told.err).isEmpty();
        assertThat(told.out).contains("batch 4 of 18 instructions, 2 held out");
        double first = number(told.out, "held-out loss: ", " ->");
        assertThat(number(told.out, " -> ", "\n")).isLessThan(0.5 * first);
        var more = run("--resume", "--out", out.toString(), "--device", "cpu");
        assertThat(more.out).contains("going on after step 30").contains("2 held out");
    }

    @Test
    void linesThatAreNoInstructionsAreRefused() throws IOException {
        var lines =
                Files.writeString(
                        folder.resolve("bad.jsonl"), INSTRUCTIONS + "{\"prompt\": \"the\"}\n");
        var from = model().toString();
        var told = run("--from", from, "--instructions", lines.toString());
        assertThat(told.err).contains("line 4 has no text \"response\"");
        Files.writeString(lines, "{\"prompt\": \"the\", \"response\"");
        assertThat(run("--from", from, "--instructions", lines.toString()).err)
                .contains("line 1: ");
        Files.writeString(lines, INSTRUCTIONS.replace("}", ", \"system\": \"x\"}"));
        assertThat(run("--from", from, "--instructions", lines.toString()).err)
                .contains("bad.jsonl: line 1 has \"system\", which is not used");
        Files.write(lines, new byte[] {'a', (byte) 0xe9, 'b'});
        assertThat(run("--from", from, "--text", text().toString(), lines.toString()).err)
                .contains("bad.jsonl: not UTF-8: see the byte 1");
        Files.writeString(lines, INSTRUCTIONS);
        told = run("--from", from, "--instructions", lines.toString(), "--context", "7");
        assertThat(told.err).contains("instruction 1 has a prompt of 7 tokens");
        told = run("--from", from, "--instructions", "x", "--text", "y");
        assertThat(told.err).contains("name a text with --text, or prompts");
    }
}
