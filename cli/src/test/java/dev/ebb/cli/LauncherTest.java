package dev.ebb.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * Every path through the {@code ebb} script, with programs in place of Java and Maven that print
 * their arguments.
 */
final class LauncherTest {
    private static final List<String> MODULES =
            List.of("core", "cpu", "cuda", "nn", "cli", "spark");

    /**
     * Prints its arguments; writes the files that the launcher requests from a build; fails if it
     * is configured to.
     */
    private static final String JAVA =
            """
            #!/usr/bin/env bash
            echo "java $*" >> "$CALLS"
            if [[ "$*" == *LauncherFiles* ]]; then
                to=${@: -1}
                mkdir -p "$to" "$XDG_CACHE_HOME/ebb/plans"
                echo 'what ebb does' > "$to/ebb.help"
                echo 'what train does' > "$to/train.help"
                echo 0123abcd > "$to/build"
            fi
            exit "${JAVA_CODE:-0}"
            """;

    private static final String MAVEN =
            """
            #!/usr/bin/env bash
            echo "mvn $*" >> "$CALLS"
            echo "[INFO] Building Ebb core 0.1.0-SNAPSHOT                [2/6]"
            if [[ -n ${MAVEN_CODE:-} ]]; then echo "[ERROR] ${MAVEN_SAYS:-a semicolon is missing}"; fi
            exit "${MAVEN_CODE:-0}"
            """;

    @TempDir Path folder;

    private Path root;
    private Path calls;
    private final List<String> environment = new ArrayList<>();

    private record Told(int code, String out, String err, List<String> calls) {
        String call() {
            assertThat(calls).hasSize(1);
            return calls.getFirst();
        }
    }

    @BeforeEach
    void checkout() throws IOException {
        root = Files.createDirectory(folder.resolve("check out"));
        calls = folder.resolve("calls");
        Files.copy(Path.of("..", "ebb"), root.resolve("ebb"));
        Files.createDirectories(root.resolve("bom"));
        Files.writeString(root.resolve("bom/pom.xml"), "");
        Files.writeString(root.resolve("pom.xml"), "");
        for (var module : MODULES) {
            Files.createDirectories(root.resolve(module).resolve("src/main"));
            Files.writeString(root.resolve(module).resolve("pom.xml"), "");
        }
        program(folder.resolve("jdk/bin/java"), JAVA);
        program(folder.resolve("jdk/bin/javac"), "");
        Files.writeString(folder.resolve("jdk/release"), "JAVA_VERSION=\"25.0.1\"\n");
        program(folder.resolve("tools/mvn"), MAVEN);
    }

    private static void program(Path file, String text) throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private Told ebb(String... arguments) throws IOException, InterruptedException {
        return run(root.resolve("ebb"), arguments);
    }

    private Told run(Path script, String... arguments) throws IOException, InterruptedException {
        Files.deleteIfExists(calls);
        var command = new ArrayList<>(List.of("bash", script.toString()));
        command.addAll(List.of(arguments));
        var out = folder.resolve("out");
        var err = folder.resolve("err");
        var builder =
                new ProcessBuilder(command)
                        .redirectOutput(out.toFile())
                        .redirectError(err.toFile());
        var variables = builder.environment();
        variables.put("JAVA_HOME", folder.resolve("jdk").toString());
        variables.put("CALLS", calls.toString());
        variables.put("PATH", folder.resolve("tools") + ":" + variables.get("PATH"));
        for (var pair : environment) variables.put(pair.split("=")[0], pair.split("=")[1]);
        int code = builder.start().waitFor();
        return new Told(
                code,
                Files.readString(out, StandardCharsets.UTF_8),
                Files.readString(err, StandardCharsets.UTF_8),
                Files.exists(calls) ? Files.readAllLines(calls) : List.of());
    }

    private void build() throws IOException, InterruptedException {
        assertThat(ebb("--help").code()).isZero();
    }

    @Test
    void the_first_run_builds_and_a_changed_source_builds_again() throws Exception {
        var first = ebb("plan", "--budget", "8MiB");
        assertThat(first.code()).as(first.err()).isZero();
        assertThat(first.err())
                .contains("building, as this is the first run", "module 2 of 6: Ebb core", "built");
        assertThat(first.calls()).hasSize(3);
        assertThat(first.calls().get(0)).startsWith("mvn ").contains("-Plauncher", "-pl cli -am");
        assertThat(first.calls().get(1))
                .contains("-XX:ArchiveClassesAtExit=", "dev.ebb.cli/dev.ebb.cli.LauncherFiles");
        assertThat(first.calls().get(2))
                .endsWith("dev.ebb.cli/dev.ebb.cli.Main plan --budget 8MiB");
        assertThat(ebb("plan").calls()).hasSize(1);
        Files.setLastModifiedTime(
                Files.writeString(root.resolve("nn/src/main/A.java"), ""),
                FileTime.from(Instant.now().plusSeconds(5)));
        assertThat(ebb("plan").err()).contains("building, as sources changed since the last build");
    }

    @Test
    void a_build_that_fails_says_why_and_is_tried_again() throws Exception {
        environment.add("MAVEN_CODE=1");
        var failed = ebb("plan");
        assertThat(failed.code()).isEqualTo(1);
        assertThat(failed.err()).contains("[ERROR] a semicolon is missing", "the build failed");
        assertThat(failed.calls()).as("nothing is run").hasSize(1);
        environment.clear();
        assertThat(ebb("plan").calls()).hasSize(3);
    }

    @Test
    void help_needs_no_java() throws Exception {
        build();
        var ways = List.of(List.<String>of(), List.of("-h"), List.of("--help"), List.of("help"));
        for (var way : ways) {
            var help = ebb(way.toArray(String[]::new));
            assertThat(help.out()).isEqualTo("what ebb does\n");
            assertThat(help.calls()).isEmpty();
        }
        assertThat(ebb("help", "train").out()).isEqualTo("what train does\n");
        assertThat(ebb("help", "nonsense").call()).endsWith("Main help nonsense");
        var train = ebb("train", "--help");
        assertThat(train.out()).isEqualTo("what train does\n");
        assertThat(train.calls()).isEmpty();
        assertThat(ebb("nonsense", "--help").call()).endsWith("Main nonsense --help");
        assertThat(ebb("../files/train", "--help").call()).endsWith("Main ../files/train --help");
    }

    @Test
    void the_program_is_told_its_build_and_its_code_is_passed_on() throws Exception {
        build();
        assertThat(root.resolve("cli/target/launcher/files/cache/ebb/plans"))
                .as("what the build planned")
                .isDirectory();
        environment.add("JAVA_CODE=2");
        var unknown = ebb("nonsense", "two words");
        assertThat(unknown.code()).isEqualTo(2);
        assertThat(unknown.call())
                .contains("-Debb.build=0123abcd", "-XX:SharedArchiveFile=", "--module-path")
                .contains(
                        "-Debb.plans=" + root.resolve("cli/target/launcher/files/cache/ebb/plans"))
                .contains("-XX:TieredStopAtLevel=1")
                .endsWith("dev.ebb.cli/dev.ebb.cli.Main nonsense two words");
    }

    @Test
    void what_runs_long_has_the_optimizing_compiler() throws Exception {
        build();
        for (var command : List.of("train", "finetune", "generate", "studio", "curve", "memory"))
            assertThat(ebb(command).call())
                    .doesNotContain("TieredStopAtLevel")
                    .contains("CompileThresholdScaling,jdk.incubator.vector.*::*")
                    .endsWith(command);
        for (var command : List.of("plan", "explain", "devices", "completion"))
            assertThat(ebb(command).call())
                    .contains("-XX:TieredStopAtLevel=1")
                    .doesNotContain("CompileThresholdScaling")
                    .endsWith(command);
    }

    @Test
    void jdk_format_and_bench_do_not_build_the_program() throws Exception {
        var jdk = ebb("jdk");
        assertThat(jdk.out()).isEqualTo(folder.resolve("jdk") + "\n");
        assertThat(jdk.calls()).isEmpty();
        assertThat(ebb("format").call())
                .startsWith("mvn ")
                .endsWith("-pl checks validate -Dformat=apply");
        assertThat(ebb("bench", "Tiny", "Generation").call())
                .contains("-pl bench -am")
                .endsWith("-Dbench=All -Dbench.arguments=Tiny Generation");
        var card = ebb("bench", "cuda");
        assertThat(card.calls()).hasSize(2);
        assertThat(card.calls().getFirst()).startsWith("mvn ").contains("-pl cuda -am");
        assertThat(card.calls().getLast()).contains("dev.ebb.cuda.DeviceCheck").endsWith("card.py");
        Files.createDirectories(root.resolve("spark/src/test/java/dev/ebb/spark"));
        Files.writeString(root.resolve("spark/src/test/java/dev/ebb/spark/RowsBench.java"), "");
        var rows = ebb("bench", "spark", "Rows");
        assertThat(rows.calls().getFirst()).startsWith("mvn ").contains("-pl spark -am");
        assertThat(rows.calls().getLast()).endsWith("dev.ebb.spark.RowsBench");
        var unknown = ebb("bench", "spark", "Nonsense");
        assertThat(unknown.code()).isEqualTo(1);
        assertThat(unknown.err()).contains("Exchange, Scaling, Overlap, Rows and Kills");
        environment.add("MAVEN_CODE=1");
        assertThat(ebb("format").code()).isEqualTo(1);
        assertThat(ebb("bench", "cuda").calls()).as("no program without a build").hasSize(1);
    }

    @Test
    void training_on_spark_is_another_program() throws Exception {
        var first = ebb("train", "--spark", "local[2]", "--steps", "3");
        assertThat(first.code()).as(first.err()).isZero();
        assertThat(first.calls().getFirst()).contains("-pl spark -am");
        assertThat(first.calls().getLast())
                .endsWith("dev.ebb.spark.TrainMain --spark local[2] --steps 3");
        var second = ebb("train", "--spark=local[2]", "--help");
        assertThat(second.call()).endsWith("dev.ebb.spark.TrainMain --spark=local[2] --help");
    }

    @Test
    void jars_of_spark_that_cannot_be_fetched_are_told() throws Exception {
        environment.add("MAVEN_CODE=1");
        environment.add("MAVEN_SAYS=Could not resolve org.apache.spark:spark-sql_2.13:jar:4.2.0");
        var failed = ebb("train", "--spark", "local[2]");
        assertThat(failed.code()).isEqualTo(1);
        assertThat(failed.err())
                .contains("about 200 MB", "Spark's jars are not on this machine", "settings.xml");
        assertThat(failed.calls()).as("nothing is run").hasSize(1);
    }

    @Test
    void the_remark_on_incubator_modules_is_left_out_and_nothing_else() throws Exception {
        build();
        program(
                folder.resolve("jdk/bin/java"),
                """
                #!/usr/bin/env bash
                echo 'WARNING: something real' >&2
                echo 'WARNING: Using incubator modules: jdk.incubator.vector' >&2
                echo 'ebb: and no more' >&2
                exit 3
                """);
        var line = "set -o pipefail; \"$1\" plan 2>&1 | cat";
        var piped =
                new ProcessBuilder("bash", "-c", line, "ebb", root.resolve("ebb").toString())
                        .redirectError(ProcessBuilder.Redirect.DISCARD);
        piped.environment().put("JAVA_HOME", folder.resolve("jdk").toString());
        var process = piped.start();
        var shown = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(shown).isEqualTo("WARNING: something real\nebb: and no more\n");
        assertThat(process.waitFor()).isEqualTo(3);
        assertThat(ebb("plan").err()).as("a file gets all").contains("Using incubator modules");
    }

    @Test
    void it_is_found_through_links() throws Exception {
        build();
        var link = folder.resolve("links/ebb");
        Files.createDirectories(link.getParent());
        Files.createSymbolicLink(link, Path.of("../check out/ebb"));
        assertThat(run(link, "--help").out()).isEqualTo("what ebb does\n");
    }
}
