package dev.ebb.cpu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.reference.Guarded;
import dev.ebb.reference.Trial;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * Programs run in memory between two pages that end the process when they are accessed, in a
 * separate process.
 */
@EnabledOnOs(
        value = OS.LINUX,
        architectures = {"amd64", "aarch64"})
class GuardPagesTest {
    @TempDir Path folder;

    /** The child process: runs some programs of the campaign, or makes one store beyond the end. */
    public static final class Child {
        private static final long FIRST = 2_000_001;
        private static final int PROGRAMS = 8;

        private Child() {}

        public static void main(String[] args) {
            try (var one = new Cpu(1);
                    var two = new Cpu(2)) {
                var device = Guarded.byPages(two, 0xa5);
                if (args[0].equals("outside")) {
                    touchOutside(device);
                    return;
                }
                for (int i = 0; i < PROGRAMS; i++)
                    new Trial(FIRST + i, one, device, Path.of(args[0])).run();
            }
            System.out.println("all ran");
        }

        @SuppressWarnings("restricted")
        private static void touchOutside(Guarded device) {
            try (var queue = device.open();
                    var memory = queue.allocate(100 << 10)) {
                long end = memory.memory().address() + memory.memory().bytes();
                System.out.println("touching");
                MemorySegment.ofAddress(end).reinterpret(1).set(ValueLayout.JAVA_BYTE, 0, (byte) 1);
            }
            System.out.println("touched");
        }
    }

    private record Ended(int code, String said) {}

    private static Ended child(String what, Path in) throws Exception {
        var child =
                new ChildJvm("--enable-native-access=ALL-UNNAMED", "-XX:-CreateCoredumpOnCrash")
                        .running(Child.class, what)
                        .directory(in.toFile())
                        .redirectErrorStream(true)
                        .start();
        var text = new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Ended(child.waitFor(), text);
    }

    @Test
    void nothingOutsideAnArenaIsTouched() throws Exception {
        var end = child(folder.toString(), folder);
        assertThat(end.said).endsWith("all ran\n");
        assertThat(end.code).isZero();
    }

    @Test
    void whatTouchesTheGuardEndsTheProcess() throws Exception {
        var end = child("outside", folder);
        assertThat(end.said).contains("touching\n", "SIGSEGV").doesNotContain("touched");
        assertThat(end.code).isNotZero();
    }
}
