package dev.ebb.cli.report;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

class StandardOutputTest {

    /** The message about a stream that fails with this error. */
    private static String said(String why) {
        var out =
                new StandardOutput(
                        new OutputStream() {
                            @Override
                            public void write(int one) throws IOException {
                                throw new IOException(why);
                            }
                        });
        var lines = new PrintStream(out, true, StandardCharsets.UTF_8);
        lines.println("one");
        lines.println("two");
        var err = new ByteArrayOutputStream();
        var told = new PrintStream(err, true, StandardCharsets.UTF_8);
        assertThat(out.isWhole(told)).isEqualTo(err.size() == 0);
        return err.toString(StandardCharsets.UTF_8);
    }

    @Test
    void a_full_disk_is_told_and_a_reader_that_went_away_is_not() {
        assertThat(said("No space left on device")).contains("cut short", "No space left");
        assertThat(said("Broken pipe")).isEmpty();
    }

    @Test
    void what_was_written_is_whole() {
        var to = new ByteArrayOutputStream();
        var out = new StandardOutput(to);
        new PrintStream(out, true, StandardCharsets.UTF_8).print("tide");
        assertThat(out.isWhole(System.err)).isTrue();
        assertThat(to.toString(StandardCharsets.UTF_8)).isEqualTo("tide");
    }
}
