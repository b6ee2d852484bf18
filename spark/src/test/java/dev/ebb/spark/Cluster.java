package dev.ebb.spark;

import org.apache.spark.launcher.JavaModuleOptions;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;

/** A standalone cluster of processes on this machine, from the jars of the test's class path. */
final class Cluster implements AutoCloseable {
    /**
     * For processes that mostly start: little compiling, one thread for garbage, and classes of
     * Spark that are not verified once more.
     */
    static final String SHORT_LIVED =
            "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:+UnlockDiagnosticVMOptions"
                    + " -XX:-BytecodeVerificationRemote";

    /** Who does not know this cannot join. */
    static final Map<String, String> SECURITY =
            Map.of(
                    "spark.authenticate", "true",
                    "spark.authenticate.secret", "known to the test alone",
                    "spark.network.crypto.enabled", "true");

    private final Path folder;
    private final int port;
    private final Process master;
    private final Process worker;

    /** A master, and a worker with so many cores. */
    Cluster(Path folder, int cores) throws IOException, InterruptedException {
        this.folder = folder;
        writeJar(Files.createDirectories(folder.resolve("home/jars")).resolve("all.jar"));
        try (var socket = new ServerSocket(0)) {
            port = socket.getLocalPort();
        }
        master =
                start(
                        "org.apache.spark.deploy.master.Master",
                        List.of("--host", "localhost", "--port", port + "", "--webui-port", "0"));
        awaitMaster();
        worker =
                start(
                        "org.apache.spark.deploy.worker.Worker",
                        List.of(
                                "--host",
                                "localhost",
                                "--webui-port",
                                "0",
                                "--cores",
                                cores + "",
                                "--memory",
                                "4g",
                                "--work-dir",
                                folder.resolve("work").toString(),
                                url()));
    }

    String url() {
        return "spark://localhost:" + port;
    }

    /** A jar without classes that names the test's whole class path. */
    private static void writeJar(Path jar) throws IOException {
        var manifest = new Manifest();
        var urls = new ArrayList<String>();
        for (var entry : System.getProperty("java.class.path").split(File.pathSeparator))
            urls.add(Path.of(entry).toUri().toString());
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes().put(Attributes.Name.CLASS_PATH, String.join(" ", urls));
        new JarOutputStream(Files.newOutputStream(jar), manifest).close();
    }

    /** A process with the class path of the test; what it says goes to a file named after it. */
    Process start(String main, List<String> arguments) throws IOException {
        var command = new ArrayList<String>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("-Xmx512m");
        command.addAll(List.of(JavaModuleOptions.defaultModuleOptions().trim().split("\\s+")));
        command.addAll(List.of(SHORT_LIVED.split(" ")));
        SECURITY.forEach((key, value) -> command.add("-D" + key + "=" + value));
        command.addAll(List.of("-cp", jar().toString(), main));
        command.addAll(arguments);
        var builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.redirectOutput(log(main).toFile());
        builder.environment().put("SPARK_HOME", folder.resolve("home").toString());
        builder.environment().put("SPARK_LOCAL_HOSTNAME", "localhost");
        builder.environment().put("SPARK_SCALA_VERSION", "2.13");
        return builder.start();
    }

    private void awaitMaster() throws InterruptedException {
        for (int i = 0; i < 600 && master.isAlive(); i++) {
            try (var _ = new Socket("localhost", port)) {
                return;
            } catch (IOException e) {
                Thread.sleep(100);
            }
        }
        throw new IllegalStateException("the master does not answer; see " + folder);
    }

    /** The executors' processes. */
    List<ProcessHandle> executors() {
        return worker.children().filter(ProcessHandle::isAlive).toList();
    }

    Path log(String main) {
        return folder.resolve(main + ".log");
    }

    Path jar() {
        return folder.resolve("home/jars/all.jar");
    }

    @Override
    public void close() {
        executors().forEach(ProcessHandle::destroyForcibly);
        worker.destroyForcibly();
        master.destroyForcibly();
        try {
            worker.waitFor(10, TimeUnit.SECONDS);
            master.waitFor(10, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            throw new UncheckedIOException(new IOException(e));
        }
    }
}
