package dev.ebb.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.tensor.Tensor;

import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.Logger;
import org.apache.logging.log4j.core.appender.AbstractAppender;
import org.apache.logging.log4j.core.config.Property;
import org.apache.spark.TaskContext;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;

/** The GPT on {@code local[2]}, and faults that do not kill a process. */
class LocalFaultsTest {
    @TempDir static Path folder;

    private static String expected;

    @BeforeAll
    static void start() {
        expected = Small.accumulated();
    }

    private static SparkTraining<?> training(String folder, long steps) {
        return SparkTraining.of(Local.session(), Small.GPT, folder)
                .batch(Small.BATCH, Small.SHARDS)
                .ranks(2)
                .patience(Small.PATIENCE)
                .steps(steps, 10);
    }

    /** Passages, with a delay on rank 1 at one step. */
    record Slow(long millis) implements Batches {
        @Override
        public List<Tensor> at(long step) {
            boolean slow = step == 7 && TaskContext.get().partitionId() == 1;
            return new Small.Passages(slow ? millis : 0).at(step);
        }
    }

    /**
     * Also checks that a measured link changes no bit, and that missing authentication is reported.
     */
    @Test
    void a_slow_rank_changes_no_bit() throws IOException {
        var logged = new ConcurrentLinkedQueue<String>();
        var logger = (Logger) LogManager.getLogger(SparkTraining.class);
        var appender =
                new AbstractAppender("test", null, null, true, Property.EMPTY_ARRAY) {
                    @Override
                    public void append(LogEvent event) {
                        logged.add(event.getMessage().getFormattedMessage());
                    }
                };
        appender.start();
        logger.addAppender(appender);
        try {
            var slow =
                    training(folder.resolve("slow").toUri().toString(), Small.STEPS)
                            .measuringLinks();
            assertThat(slow.fit(new Slow(1000)).digest()).isEqualTo(expected);
        } finally {
            logger.removeAppender(appender);
        }
        assertThat(logged).anyMatch(l -> l.contains("spark.authenticate is not set"));
    }

    /**
     * A disk that is full after ten steps; then the driver is restarted when there is space again.
     */
    @Test
    void a_full_disk_is_told_and_a_new_driver_goes_on_when_there_is_room() throws IOException {
        var place = Files.createDirectories(folder.resolve("disk"));
        var full = "full:" + place;
        training(full, 10).fit(new Small.Passages(0));
        Files.createFile(place.resolve("no-space"));
        var training = training(full, Small.STEPS).attempts(1);
        assertThatThrownBy(() -> training.fit(new Small.Passages(0)))
                .hasMessageContaining("after the checkpoint of step 10")
                .hasStackTraceContaining("No space left on device");
        Files.delete(place.resolve("no-space"));
        Local.stop();
        var trained = training(full, Small.STEPS).fit(new Small.Passages(0));
        assertThat(trained.digest()).isEqualTo(expected);
        assertThat(trained.losses()).hasSize(Small.STEPS);
    }
}
