package dev.ebb;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.ir.Shape;
import dev.ebb.plan.Budget;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Compilations, plans and runs are in a flight recording; without a recorder all works too. */
class EventRecorderTest {
    private static final Fn<Tensor, Tensor> LOSS =
            x -> {
                Tensor h = x;
                for (int i = 0; i < 8; i++) h = h.matmul(x.detach()).tanh();
                return h.sum();
            };

    @TempDir Path folder;

    private static Array x() {
        return Array.of(Shape.of(16, 16), new float[256]);
    }

    /** Run as a program of its own, on a Java without jdk.jfr. */
    public static void main(String[] args) {
        try (var compiled = Ebb.compile(Ebb.grad(LOSS)).within(Budget.share(0.9))) {
            compiled.apply(x());
            System.out.println(
                    EventRecorder.recorder()
                            + " "
                            + (compiled.report().measuredBytes()
                                    == compiled.report().promisedBytes()));
        }
    }

    private static List<RecordedEvent> events(List<RecordedEvent> all, String name) {
        return all.stream().filter(e -> e.getEventType().getName().equals(name)).toList();
    }

    @Test
    void a_recording_tells_of_compilations_plans_and_runs() throws IOException {
        var file = folder.resolve("flight.jfr");
        long promised;
        try (var recording = new Recording()) {
            recording.start();
            try (var compiled = Ebb.compile(Ebb.valueAndGrad(LOSS)).within(Budget.share(0.9))) {
                compiled.apply(x());
                compiled.apply(x());
                promised = compiled.report().promisedBytes();
            }
            recording.stop();
            recording.dump(file);
        }
        var all = RecordingFile.readAllEvents(file);
        var compile = events(all, "dev.ebb.Compile");
        assertThat(compile).hasSize(1);
        assertThat(compile.getFirst().getLong("promisedBytes")).isEqualTo(promised);
        assertThat(compile.getFirst().getInt("kernels")).isPositive();
        var plan = events(all, "dev.ebb.Plan");
        assertThat(plan).hasSize(1);
        assertThat(plan.getFirst().getString("strategy")).contains("Fit").contains("0.9");
        assertThat(plan.getFirst().getLong("storeAllBytes")).isGreaterThanOrEqualTo(promised);
        assertThat(plan.getFirst().getDouble("cost")).isPositive();
        assertThat(plan.getFirst().getDouble("gap")).isNotNegative();
        assertThat(plan.getFirst().getDuration())
                .isPositive()
                .isLessThanOrEqualTo(compile.getFirst().getDuration());
        var run = events(all, "dev.ebb.Run");
        assertThat(run).hasSize(2);
        for (var r : run) {
            assertThat(r.getLong("measuredBytes")).isEqualTo(promised);
            assertThat(r.getDuration()).isPositive();
            assertThat(r.getInt("recomputed")).isEqualTo(plan.getFirst().getInt("recomputed"));
        }
    }

    @Test
    void nothing_is_missing_without_a_recorder() throws IOException, InterruptedException {
        var process =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "--limit-modules",
                                "java.base",
                                "-cp",
                                String.join(
                                        File.pathSeparator,
                                        System.getProperty("java.class.path"),
                                        Path.of("target", "classes").toString(),
                                        Path.of("target", "test-classes").toString()),
                                EventRecorderTest.class.getName())
                        .redirectErrorStream(true)
                        .redirectOutput(folder.resolve("out").toFile())
                        .start();
        assertThat(process.waitFor()).isZero();
        assertThat(Files.readString(folder.resolve("out"))).contains("Silent[] true");
    }
}
