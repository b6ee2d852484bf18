package dev.ebb.spark;

import org.apache.spark.launcher.JavaModuleOptions;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.regex.Pattern;

/** A standalone cluster of processes on this machine, from the jars of the test's class path. */
final class Cluster implements AutoCloseable {
    /** One garbage collection thread, and no verification of Spark's classes. */
    static final String COMPUTING =
            "-XX:+UseSerialGC -XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote";

    /** The same with less compilation, for processes that mostly start. */
    static final String STARTING = COMPUTING + " -XX:TieredStopAtLevel=1";

    private static final Pattern STARTED = Pattern.compile("Starting Spark master at (\\S+)");

    /** The secret without which no process can join. */
    static final Map<String, String> SECURITY =
            Map.of(
                    "spark.authenticate", "true",
                    "spark.authenticate.secret", "known to the test alone",
                    "spark.network.crypto.enabled", "true");

    private static final String MASTER = "org.apache.spark.deploy.master.Master";

    private final Path folder;
    private final Process master;
    private final Process worker;
    private final String url;

    /** Starts a master, and a worker with this number of cores. */
    Cluster(Path folder, int cores) throws IOException, InterruptedException {
        this.folder = folder;
        writeJar(Files.createDirectories(folder.resolve("home/jars")).resolve("all.jar"));
        master =
                start(
                        MASTER,
                        STARTING,
                        List.of("--host", "localhost", "--port", "0", "--webui-port", "0"));
        url = awaitMaster();
        worker =
                start(
                        "org.apache.spark.deploy.worker.Worker",
                        STARTING,
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
                                url));
    }

    String url() {
        return url;
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

    /**
     * Starts a process with the class path of the test; its output goes to a file named after it.
     */
    Process start(String main, String options, List<String> arguments) throws IOException {
        var command = new ArrayList<String>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-Xmx512m", "--add-modules=jdk.incubator.vector"));
        command.addAll(List.of(JavaModuleOptions.defaultModuleOptions().trim().split("\\s+")));
        command.addAll(List.of(options.split(" ")));
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

    /** The port was a free one: the master logs it once it listens. */
    private String awaitMaster() throws IOException, InterruptedException {
        while (master.isAlive()) {
            var told = STARTED.matcher(Files.readString(log(MASTER)));
            if (told.find()) return told.group(1);
            Thread.sleep(50);
        }
        throw new IllegalStateException("the master has ended; see " + log(MASTER));
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

    /** Ends all processes and waits for them: afterwards none writes to the folder. */
    @Override
    public void close() {
        var all = new ArrayList<>(executors());
        all.add(worker.toHandle());
        all.add(master.toHandle());
        // the worker first: it would restart executors
        all.reversed().forEach(ProcessHandle::destroyForcibly);
        all.forEach(p -> p.onExit().join());
    }
}
