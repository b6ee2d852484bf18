package dev.ebb.cpu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.ir.Kernel;
import dev.ebb.reference.Trial;

import org.junit.jupiter.api.Test;

import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
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
        var command = new ArrayList<String>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of(flags));
        command.addAll(List.of("--add-modules", "jdk.incubator.vector", "-cp", classPath()));
        command.addAll(
                List.of(
                        DigestMain.class.getName(),
                        String.valueOf(threads),
                        String.valueOf(times)));
        return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    }

    static String classPath() throws URISyntaxException {
        var tests = Path.of("target", "test-classes").toString();
        return String.join(
                File.pathSeparator,
                place(Kernel.class),
                place(Cpu.class),
                place(DigestMain.class),
                place(Trial.class),
                tests,
                place(org.assertj.core.api.Assertions.class));
    }

    private static String place(Class<?> type) throws URISyntaxException {
        return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI()).toString();
    }

    private static String result(Process process) throws IOException, InterruptedException {
        var lines = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(lines).isZero();
        return lines.lines().filter(l -> l.startsWith("digest")).findFirst().orElse(lines);
    }
}
