package dev.ebb.cpu;

import static org.assertj.core.api.Assertions.assertThat;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorOperators;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.nio.file.Files;
import java.nio.file.Path;

class BannedCallsTest {
    private static final Path CLASSES = Path.of("target", "classes");

    @Test
    void the_device_makes_no_banned_call() throws IOException {
        try (var files = Files.walk(CLASSES)) {
            var calls =
                    files.filter(f -> f.toString().endsWith(".class"))
                            .flatMap(f -> BannedCalls.in(parse(f)).stream())
                            .toList();
            assertThat(calls).as("calls that would change bits between runs").isEmpty();
        }
    }

    @Test
    void each_banned_call_is_seen_with_its_reason() {
        var calls = BannedCalls.in(parse(classFile(Sinner.class)));
        assertThat(calls).hasSize(5);
        assertThat(calls.get(0)).contains("Sinner.exp: VectorOperators.EXP: its bits change");
        assertThat(calls.get(1)).contains("Sinner.power: pow: its bits change");
        assertThat(calls.get(2)).contains("Sinner.sum: reduceLanes(ADD): the order of its");
        assertThat(calls.get(3)).contains("Sinner.product: reduceLanes(MUL): the order of its");
        assertThat(calls.get(4)).contains("Sinner.fold: reduceLanes(?): the operator must be");
    }

    @Test
    void what_is_exact_is_allowed() {
        assertThat(BannedCalls.in(parse(classFile(Saint.class)))).isEmpty();
    }

    /** Makes all banned calls. */
    static final class Sinner {
        private Sinner() {}

        static FloatVector exp(FloatVector x) {
            return x.lanewise(VectorOperators.EXP);
        }

        static FloatVector power(FloatVector x) {
            return x.pow(x);
        }

        static float sum(FloatVector x) {
            return x.reduceLanes(VectorOperators.ADD);
        }

        static float product(FloatVector x) {
            var mask = x.compare(VectorOperators.GT, 0);
            return x.reduceLanes(VectorOperators.MUL, mask);
        }

        static float fold(FloatVector x, VectorOperators.Associative operator) {
            return x.reduceLanes(operator);
        }
    }

    /** Makes calls that look alike but round the same everywhere. */
    static final class Saint {
        private Saint() {}

        static FloatVector root(FloatVector x) {
            return x.lanewise(VectorOperators.SQRT).lanewise(VectorOperators.ADD, x);
        }

        static float most(FloatVector x) {
            return x.lanewise(VectorOperators.ADD, x).reduceLanes(VectorOperators.MAX);
        }
    }

    private static Path classFile(Class<?> type) {
        return Path.of("target", "test-classes", type.getName().replace('.', '/') + ".class");
    }

    private static ClassModel parse(Path file) {
        try {
            return ClassFile.of().parse(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
