package dev.ebb;

import static org.assertj.core.api.Assertions.assertThat;

import static java.util.stream.Collectors.joining;

import dev.ebb.science.Banded;
import dev.ebb.science.CompensatedSum;
import dev.ebb.science.Complex;
import dev.ebb.science.Csr;
import dev.ebb.science.Eigenvalues;
import dev.ebb.science.Fft;
import dev.ebb.science.Halton;
import dev.ebb.science.Interpolation;
import dev.ebb.science.MatrixFunctions;
import dev.ebb.science.Normal;
import dev.ebb.science.Quadrature;
import dev.ebb.science.Search;
import dev.ebb.science.Sobol;
import dev.ebb.science.SparseJacobian;
import dev.ebb.science.SpecialFunctions;
import dev.ebb.science.Tridiagonal;
import dev.ebb.tensor.Key;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * The page of all ops, made from the code: methods by reflection, sentences from their comments. A
 * page that is out of date is written anew, and the test fails once.
 */
class OpIndexTest {
    private static final Path PAGE = Path.of("../docs/ops.md");
    private static final Path SOURCES = Path.of("src/main/java");

    private static final String COMMENT = "/\\*\\*((?:(?!\\*/).)*?)\\*/\\s*(?:@\\w+\\s+)*";

    private static List<Class<?>> families() {
        Set<Class<?>> all = new LinkedHashSet<>();
        collect(Tensor.class, all);
        all.remove(Tensor.class);
        all.add(Tensors.class);
        all.add(Key.class);
        all.addAll(
                List.of(
                        Normal.class,
                        SpecialFunctions.class,
                        Interpolation.class,
                        Search.class,
                        Tridiagonal.class,
                        Banded.class,
                        MatrixFunctions.class,
                        Eigenvalues.class,
                        Quadrature.class,
                        CompensatedSum.class,
                        Halton.class,
                        Sobol.class,
                        Complex.class,
                        Fft.class,
                        Csr.class,
                        SparseJacobian.class));
        return List.copyOf(all);
    }

    private static void collect(Class<?> type, Set<Class<?>> all) {
        all.add(type);
        for (var above : type.getInterfaces()) collect(above, all);
    }

    private static boolean isOp(Method m) {
        return Modifier.isPublic(m.getModifiers())
                && !m.isSynthetic()
                && !Set.of("equals", "hashCode", "toString").contains(m.getName());
    }

    private static String page() throws IOException {
        var text = new StringBuilder("# Ops\n\n");
        text.append(
                "Methods of `Tensor` by family, what makes tensors, what draws, and"
                        + " `dev.ebb.science`. ");
        text.append("Made from the code by `OpIndexTest`. ");
        text.append("[Conventions](guide/conventions.md) tells of ties, kinks and NaN.\n");
        for (var family : families()) {
            var source = source(family);
            text.append("\n## ").append(family.getSimpleName()).append("\n");
            text.append(
                    sentences(source, "(?:public )?(?:final )?(?:record|class|interface) \\w+"));
            text.append("\n\n| op | |\n|---|---|\n");
            var byName = new TreeMap<String, List<Method>>();
            for (var m : family.getDeclaredMethods())
                if (isOp(m)) byName.computeIfAbsent(m.getName(), _ -> new ArrayList<>()).add(m);
            byName.forEach((name, methods) -> text.append(row(name, methods, source)));
        }
        return text.toString();
    }

    private static String row(String name, List<Method> methods, String source) {
        var forms =
                methods.stream()
                        .map(OpIndexTest::form)
                        .sorted(Comparator.comparingInt(String::length).thenComparing(f -> f))
                        .map(f -> "`" + f + "`")
                        .distinct()
                        .collect(joining("<br>"));
        var told =
                sentences(
                        source,
                        "(?:default|public static|public) [\\w.<>\\[\\], ]+ " + name + "\\(");
        return "| " + forms + " | " + told.replace("|", "\\|") + " |\n";
    }

    private static String form(Method m) {
        return Arrays.stream(m.getGenericParameterTypes())
                .map(t -> t.getTypeName().replaceAll("[\\w.]+[.$](\\w+)", "$1"))
                .collect(joining(", ", m.getName() + "(", ")"));
    }

    /** The first sentence of the first comment before {@code what}; nothing without one. */
    private static String sentences(String source, String what) {
        var found = Pattern.compile(COMMENT + what, Pattern.DOTALL).matcher(source);
        if (!found.find()) return "";
        var text = found.group(1).replaceAll("\\s*\\n\\s*\\*\\s?", " ").strip();
        text = text.replaceAll("(?s)\\s@(param|return|throws).*", "");
        text =
                text.replaceAll("\\{@code ([^}]*)}", "`$1`")
                        .replaceAll("\\{@link #?([^}]*)}", "`$1`");
        text = text.replaceAll("<[^>]*>", " ").replaceAll("\\s+", " ").strip();
        int end = text.indexOf(". ");
        return end < 0 ? text : text.substring(0, end + 1);
    }

    private static String source(Class<?> type) throws IOException {
        return Files.readString(SOURCES.resolve(type.getName().replace('.', '/') + ".java"));
    }

    @Test
    void thePageIsThatOfTheCode() throws IOException {
        var made = page();
        boolean same = Files.exists(PAGE) && Files.readString(PAGE).equals(made);
        if (!same) Files.writeString(PAGE, made);
        assertThat(same).as("docs/ops.md was out of date; it is written now: run again").isTrue();
    }
}
