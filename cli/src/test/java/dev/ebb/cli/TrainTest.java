package dev.ebb.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.nn.data.Corpus;
import dev.ebb.nn.file.Json;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

final class TrainTest {
    @TempDir Path folder;

    private Json train(String name, int steps, String... more) throws IOException {
        var arguments = Shell.tiny(folder, name, steps);
        arguments.addAll(List.of(more));
        var result = Shell.run(arguments);
        assertThat(result.code()).as(result.err()).isZero();
        return Shell.json(folder.resolve(name + ".json"));
    }

    private static long whole(Json json, String key) {
        return json.at(key).flatMap(Json::whole).orElseThrow();
    }

    @Test
    void the_figures_have_the_promised_names_and_keep_the_promise() throws IOException {
        var json = train("a", 30);
        assertThat(((Json.Obj) json).members().keySet())
                .contains(
                        "steps",
                        "loss",
                        "tokens_per_second",
                        "step_ms_median",
                        "budget_bytes",
                        "promised_peak_bytes",
                        "measured_peak_bytes",
                        "store_all_peak_bytes",
                        "recompute_share",
                        "disk_room_bytes",
                        "disk_promised_peak_bytes",
                        "disk_measured_peak_bytes",
                        "parameters",
                        "weights_digest");
        var losses = json.at("loss").orElseThrow().elements();
        assertThat(losses).hasSize(30);
        assertThat(losses.getLast().number().orElseThrow())
                .isLessThan(losses.getFirst().number().orElseThrow() - 0.5);
        assertThat(whole(json, "measured_peak_bytes"))
                .isEqualTo(whole(json, "promised_peak_bytes"))
                .isLessThanOrEqualTo(whole(json, "budget_bytes"));
        assertThat(folder.resolve("a/report.html")).isNotEmptyFile();
    }

    /** So that a plan made at build time, or by the user, is not made again. */
    @Test
    void a_step_is_the_one_that_plan_plans() throws IOException {
        var planned = folder.resolve("plan.json");
        var plan =
                Shell.run(
                        "plan",
                        "--no-cache",
                        "--model=1x16x2",
                        "--context=16",
                        "--batch=2",
                        "--json=" + planned);
        assertThat(plan.code()).as(plan.err()).isZero();
        // the number of steps if no option gives it
        var trained = train("long", 1000, "--no-cache", "--checkpoint=1000");
        assertThat(trained.at("schedule_digest"))
                .isPresent()
                .isEqualTo(Shell.json(planned).at("schedule_digest"));
    }

    @Test
    void every_budget_and_number_of_threads_gives_the_same_bits() throws IOException {
        // large enough that half of its store-all memory is more than the device's own memory
        String[] model = {"--model", "3x64x4", "--context", "64", "--batch", "32"};
        var all = sized("all", model, "--budget", "100%");
        long least = whole(all, "least_budget_bytes");
        var low = sized("low", model, "--budget", String.valueOf(least));
        assertThat(whole(low, "promised_peak_bytes")).isLessThanOrEqualTo(least);
        var half = sized("half", model, "--budget", "50%");
        assertThat(whole(half, "budget_bytes"))
                .isEqualTo(whole(all, "store_all_peak_bytes") / 2)
                .isGreaterThan(least);
        sized("one", model, "--budget", "50%", "--threads", "1");
        sized("two", model, "--budget", "100%", "--threads", "2");
        for (var name : List.of("low", "half", "one", "two")) {
            assertThat(Shell.digest(folder.resolve(name + ".json")))
                    .as(name)
                    .isEqualTo(Shell.digest(folder.resolve("all.json")));
        }
    }

    @Test
    void it_learns_more_than_how_often_each_character_comes() throws IOException {
        var losses = train("long", 400).at("loss").orElseThrow().elements();
        var text = new Corpus(Files.readAllBytes(folder.resolve("text.txt")));
        double last =
                losses.subList(380, 400).stream()
                        .mapToDouble(loss -> loss.number().orElseThrow())
                        .average()
                        .orElseThrow();
        assertThat(last).isLessThan(0.75 * text.unigramEntropy());
    }

    /**
     * Three steps of a model of other sizes; asserts that the measured peak is the promised one.
     */
    private Json sized(String name, String[] model, String... more) throws IOException {
        var arguments = Shell.tiny(folder, name, 3);
        for (int i = 0; i < model.length; i += 2)
            arguments.set(arguments.indexOf(model[i]) + 1, model[i + 1]);
        arguments.addAll(List.of(more));
        var result = Shell.run(arguments);
        assertThat(result.code()).as(result.err()).isZero();
        var json = Shell.json(folder.resolve(name + ".json"));
        assertThat(whole(json, "measured_peak_bytes"))
                .isEqualTo(whole(json, "promised_peak_bytes"))
                .isLessThanOrEqualTo(whole(json, "budget_bytes"));
        return json;
    }

    @Test
    void a_trained_model_writes_and_trains_on() throws IOException {
        train("a", 3);
        var file = folder.resolve("a/checkpoint.safetensors").toString();
        var written = Shell.run("generate", "--from", file, "--length", "5", "the");
        assertThat(written.code()).as(written.err()).isZero();
        assertThat(written.out()).startsWith("the");
        var json = train("b", 2, "--from", file);
        assertThat(whole(json, "steps")).isEqualTo(2);
    }

    @Test
    void what_cannot_be_done_is_said_in_a_sentence() throws IOException {
        said(
                Shell.run(
                        "train",
                        "--text",
                        folder.resolve("none").toString(),
                        "--out",
                        folder + "/x"),
                1,
                "none: there is no such file");
        said(Shell.run("train", "--budget", "lots"), 2, "'lots' is not a budget");
        said(Shell.run("train", "--model", "huge"), 2, "tiny, small, medium or large");
        said(Shell.run("nonsense"), 2, "nonsense");
        var file = Files.writeString(folder.resolve("file"), "x");
        said(Shell.run("train", "--out", file.toString()), 1, "is a file; name a folder");
        var wrong = Shell.tiny(folder, "wrong", 1);
        wrong.addAll(List.of("--from", file.toString()));
        said(Shell.run(wrong), 1, "truncated");
        var small = Shell.tiny(folder, "small", 1);
        small.addAll(List.of("--budget", "100KiB"));
        said(Shell.run(small), 1, "is too small");
        train("used", 1);
        said(Shell.run(Shell.tiny(folder, "used", 1)), 1, "--resume");
    }

    private static void said(Shell.Result result, int code, String... says) {
        assertThat(result.code()).as(result.err()).isEqualTo(code);
        assertThat(result.err()).contains(says).doesNotContain("\tat ");
    }
}
