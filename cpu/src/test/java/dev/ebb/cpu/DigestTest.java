package dev.ebb.cpu;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * The same bits interpreted, compiled by either compiler, cold and hot, on any number of threads.
 */
class DigestTest {

    @Test
    void no_tier_of_the_jit_changes_a_bit() throws Exception {
        var running =
                List.of(
                        start(1, 1, "-Xint"),
                        start(2, 6, "-XX:TieredStopAtLevel=1"),
                        start(1, 40),
                        start(3, 40));
        var digests = new ArrayList<String>();
        for (Process process : running) digests.add(result(process));
        assertThat(digests.getFirst()).startsWith("digest ");
        assertThat(digests).containsOnly(digests.getFirst());
    }

    private static Process start(int threads, int times, String... flags) throws Exception {
        return new ChildJvm(flags)
                .running(DigestMain.class, String.valueOf(threads), String.valueOf(times))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    private static String result(Process process) throws IOException, InterruptedException {
        var lines = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(lines).isZero();
        return lines.lines().filter(l -> l.startsWith("digest")).findFirst().orElse(lines);
    }
}
