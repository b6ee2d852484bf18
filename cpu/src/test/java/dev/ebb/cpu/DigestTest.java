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
                        start("-Xint", "1", "1"),
                        start("-XX:TieredStopAtLevel=1", "6", "2"),
                        // cold and hot on three threads, then hot on one
                        start("-XX:+TieredCompilation", "20", "3", "1"));
        var digests = new ArrayList<String>();
        for (Process process : running) digests.addAll(results(process));
        assertThat(digests).hasSize(4).containsOnly(digests.getFirst());
    }

    private static Process start(String flag, String... timesAndThreads) throws Exception {
        return new ChildJvm(flag)
                .running(DigestMain.class, timesAndThreads)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    private static List<String> results(Process process) throws IOException, InterruptedException {
        var lines = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(lines).isZero();
        return lines.lines().filter(l -> l.startsWith("digest ")).toList();
    }
}
