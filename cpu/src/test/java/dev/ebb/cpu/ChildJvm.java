package dev.ebb.cpu;

import dev.ebb.ir.Kernel;
import dev.ebb.reference.Trial;

import java.io.File;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Starts a main class of the tests in a separate process, with the Vector API's module. */
final class ChildJvm {
    private final List<String> command = new ArrayList<>();

    /** A process with these flags, whose garbage collector uses a single thread. */
    ChildJvm(String... flags) {
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("--add-modules=jdk.incubator.vector", "-XX:+UseSerialGC"));
        command.addAll(List.of(flags));
    }

    /** A builder of the process; the caller redirects its error stream. */
    ProcessBuilder running(Class<?> main, String... arguments) throws URISyntaxException {
        var all = new ArrayList<>(command);
        all.addAll(List.of("-cp", classPath(), main.getName()));
        all.addAll(List.of(arguments));
        return new ProcessBuilder(all);
    }

    static String classPath() throws URISyntaxException {
        var tests = Path.of("target", "test-classes").toString();
        return String.join(
                File.pathSeparator,
                place(Kernel.class),
                place(Cpu.class),
                place(ChildJvm.class),
                place(Trial.class),
                tests,
                place(org.assertj.core.api.Assertions.class));
    }

    private static String place(Class<?> type) throws URISyntaxException {
        return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI()).toString();
    }
}
