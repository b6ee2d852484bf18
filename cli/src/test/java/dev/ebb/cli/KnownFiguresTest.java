package dev.ebb.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.Devices;
import dev.ebb.cli.option.OptimizerName;
import dev.ebb.cli.option.PrecisionName;
import dev.ebb.cli.report.KnownFigures;
import dev.ebb.cli.report.PlanInBudget;
import dev.ebb.nn.model.ModelSize;
import dev.ebb.plan.Budget;
import dev.ebb.plan.cache.PlanCache;
import dev.ebb.plan.cost.Roofline;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** The figures of a plan that was made before are found, and no others. */
final class KnownFiguresTest {
    /** The cache of searches, which does not contain the cached figures. */
    private static final PlanCache SEARCHED = PlanCache.inMemory();

    @TempDir Path folder;

    private int made;

    private PlanInBudget plan() {
        made++;
        var model =
                new PlannedModel(
                        new ModelSource.OfSize(new ModelSize(1, 16, 2, 16, 2)),
                        PrecisionName.F32,
                        OptimizerName.ADAMW,
                        SEARCHED);
        var budget = Budget.share(0.9);
        var plan = model.plan(budget, Devices.named("cpu"), Roofline.typical());
        return PlanInBudget.of(plan, budget);
    }

    private KnownFigures build(String name) {
        return new KnownFigures(Optional.of(name), PlanCache.in(folder));
    }

    @Test
    void a_plan_is_made_once_for_each_build_and_question() throws IOException {
        var first = build("a").of(List.of("small", "70%"), this::plan);
        assertThat(made).isEqualTo(1);
        var second = build("a").of(List.of("small", "70%"), this::plan);
        assertThat(made).isEqualTo(1);
        assertThat(second).isEqualTo(first);
        assertThat(second.lines()).isEqualTo(first.lines()).hasSize(8);
        build("a").of(List.of("small", "71%"), this::plan);
        build("b").of(List.of("small", "70%"), this::plan);
        assertThat(made).isEqualTo(3);
        try (var files = Files.list(folder)) {
            for (var file : files.toList()) Files.writeString(file, "damaged");
        }
        assertThat(build("a").of(List.of("small", "70%"), this::plan)).isEqualTo(first);
        assertThat(made).isEqualTo(4);
    }

    @Test
    void what_cannot_be_told_in_texts_is_planned_anew() throws IOException {
        build("a").of(List.of(), this::plan);
        build("a").of(List.of(), this::plan);
        new KnownFigures(Optional.empty(), PlanCache.in(folder)).of(List.of("x"), this::plan);
        new KnownFigures(Optional.empty(), PlanCache.in(folder)).of(List.of("x"), this::plan);
        assertThat(made).isEqualTo(4);
    }

    @Test
    void the_command_prints_the_same_from_what_is_known() throws IOException, InterruptedException {
        var command = List.of("plan", "--model", "1x16x2", "--budget", "90%");
        var texts = new String[3];
        for (int i = 0; i < texts.length; i++) {
            var log = folder.resolve("log" + i);
            var options = Shell.quick("-Debb.build=here" + i / 2);
            assertThat(Shell.spawn(options, command, log).waitFor()).isZero();
            texts[i] =
                    Files.readString(log)
                            .lines()
                            .filter(line -> !line.startsWith("WARNING"))
                            .toList()
                            .toString();
        }
        assertThat(texts[0]).contains("least budget");
        assertThat(texts).containsOnly(texts[0]);
    }
}
