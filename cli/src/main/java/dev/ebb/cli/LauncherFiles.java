package dev.ebb.cli;

import dev.ebb.cli.option.CacheArgument;
import dev.ebb.cli.studio.StudioFolder;
import dev.ebb.cli.studio.StudioServer;
import dev.ebb.ir.math.Sha256;

import picocli.CommandLine.Help.Ansi;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.net.HttpURLConnection;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Writes the files that the launcher needs besides the jars, once per build: the help texts, which
 * it prints without starting a JVM, and the digest of the jars, which is part of the key of cached
 * plans. It also plans with the default options of the commands, into the user's plan cache, trains
 * a small model for one step, and serves the studio's page once, so that a JVM that archives loaded
 * classes (AppCDS) archives those.
 */
final class LauncherFiles {
    private LauncherFiles() {}

    /** Arguments: the folder of the jars, and the folder to write to. */
    public static void main(String[] args) throws IOException {
        var to = Files.createDirectories(Path.of(args[1]));
        for (var help : helpTexts().entrySet())
            Files.writeString(to.resolve(help.getKey() + ".help"), help.getValue());
        var build = digest(Path.of(args[0]));
        Files.writeString(to.resolve("build"), build + "\n");
        System.setProperty("ebb.build", build);
        int code = run("plan");
        if (code == 0) code = train();
        if (code == 0) serve();
        System.exit(code);
    }

    private static int run(String... arguments) {
        var line = Main.commandLine();
        line.setOut(new PrintWriter(Writer.nullWriter()));
        return line.execute(arguments);
    }

    private static int train() throws IOException {
        var folder = Files.createTempDirectory("ebb");
        try {
            var text = Files.writeString(folder.resolve("text.txt"), "the tide ".repeat(40));
            return run(
                    "train",
                    "--no-cache",
                    // the smallest model whose rows are long enough for the generated row kernels
                    "--model=1x64x2",
                    "--batch=2",
                    "--context=64",
                    "--steps=1",
                    "--text=" + text,
                    "--out=" + folder.resolve("run"));
        } finally {
            delete(folder);
        }
    }

    private static void serve() throws IOException {
        var folder = Files.createTempDirectory("ebb");
        var models = new StudioPlanning(new CacheArgument().cache(), new StudioFolder(folder));
        try (var server = new StudioServer(0, folder, "tiny", models, new StudioTraining())) {
            var address = server.address();
            var door = (HttpURLConnection) address.toURL().openConnection();
            door.setInstanceFollowRedirects(false);
            var cookie = door.getHeaderField("Set-Cookie");
            var page = address.resolve("/").toURL().openConnection();
            page.setRequestProperty("Cookie", cookie.substring(0, cookie.indexOf(';')));
            try (var in = page.getInputStream()) {
                in.readAllBytes();
            }
        } finally {
            delete(folder);
        }
    }

    private static void delete(Path folder) throws IOException {
        try (var files = Files.walk(folder)) {
            for (var file : files.sorted(Comparator.reverseOrder()).toList()) Files.delete(file);
        }
    }

    /** The output of {@code --help} by command; {@code ebb} is the whole program. */
    static Map<String, String> helpTexts() {
        var line = Main.commandLine();
        var texts = new LinkedHashMap<String, String>();
        texts.put("ebb", line.getUsageMessage(Ansi.OFF));
        line.getSubcommands()
                .forEach((name, command) -> texts.put(name, command.getUsageMessage(Ansi.OFF)));
        return texts;
    }

    private static String digest(Path jars) throws IOException {
        try (var files = Files.list(jars)) {
            var digest = Sha256.start();
            for (var file : files.sorted().toList()) {
                digest.update(file.getFileName().toString().getBytes(StandardCharsets.UTF_8));
                digest.update(Files.readAllBytes(file));
            }
            return HexFormat.of().formatHex(digest.digest());
        }
    }
}
