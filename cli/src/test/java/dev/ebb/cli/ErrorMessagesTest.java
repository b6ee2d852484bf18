package dev.ebb.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.cli.option.ErrorMessages;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;

final class ErrorMessagesTest {
    private static String said(Exception e, int code) {
        var err = new StringWriter();
        var line = Main.commandLine();
        line.setErr(new PrintWriter(err, true));
        assertThat(ErrorMessages.report(e, line, false)).isEqualTo(code);
        return err.toString();
    }

    @Test
    void a_full_disk_is_named_with_what_to_do() {
        assertThat(said(new IOException("run/x: No space left on device"), 1))
                .contains("the disk is full", "--resume");
        assertThat(said(new UncheckedIOException(new IOException("gone")), 1)).contains("gone");
    }

    @Test
    void a_fault_of_our_own_is_owned_up_to() {
        assertThat(said(new IllegalStateException("odd"), ErrorMessages.INTERNAL))
                .contains("internal error in Ebb", "odd", "--stack-trace")
                .doesNotContain("\tat ");
    }
}
