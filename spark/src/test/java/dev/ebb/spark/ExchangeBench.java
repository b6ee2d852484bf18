package dev.ebb.spark;

import dev.ebb.nn.parallel.Group;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Sends 64 MiB from one process to another on loopback: Spark's transport into planned memory,
 * alternating with one plain TCP stream. Run it with the module's test class path; the first
 * process starts the second. It ends with exit code 1 if it is slower than 0.6 of that stream, or
 * makes more than 16 KiB of garbage per message.
 */
final class ExchangeBench {
    private static final long BYTES = 64L << 20;
    private static final int ROUNDS = 40;

    /** The least rate, as a share of a plain TCP stream. */
    private static final double LEAST_SHARE = 0.6;

    /** The most garbage per message, on each side. */
    private static final double MOST_GARBAGE_KIB = 16;

    private ExchangeBench() {}

    public static void main(String[] arguments) throws IOException {
        if (arguments.length > 0) {
            run(1, System.in, System.out, new Page(""));
            return;
        }
        var page = new Page("Exchange");
        var process =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "--add-opens=java.base/java.nio=ALL-UNNAMED",
                                "--enable-native-access=ALL-UNNAMED",
                                "-cp",
                                System.getProperty("java.class.path"),
                                ExchangeBench.class.getName(),
                                "second")
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
        try (var out = new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8)) {
            run(0, process.getInputStream(), out, page);
        }
    }

    /** Both processes run the same code; rank 1 sends, rank 0 receives and prints the figures. */
    private static void run(int rank, java.io.InputStream in, PrintStream out, Page page)
            throws IOException {
        var lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
        var conf = Loopback.conf();
        SparkGroup.Gathering gathering =
                own -> {
                    out.println(own.getFirst());
                    try {
                        var other = lines.readLine();
                        return rank == 0
                                ? List.of(own.getFirst(), other)
                                : List.of(other, own.getFirst());
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                };
        try (var group =
                        new SparkGroup(
                                rank,
                                conf,
                                Optional.empty(),
                                "localhost",
                                Duration.ofMinutes(1),
                                gathering);
                var arena = Arena.ofShared();
                var stream = stream(rank, lines, out)) {
            var memory = arena.allocate(BYTES, 64);
            double plain = Double.MAX_VALUE;
            double spark = Double.MAX_VALUE;
            long garbage = Long.MAX_VALUE;
            for (int round = 0; round < ROUNDS; round++) {
                plain = Math.min(plain, timed(() -> plain(rank, stream, memory.asByteBuffer())));
                long before = allocated();
                spark = Math.min(spark, timed(() -> exchange(rank, group, memory)));
                garbage = Math.min(garbage, allocated() - before);
            }
            if (rank == 1) {
                out.println(garbage);
                return;
            }
            var thresholds = new Thresholds();
            double sent = Long.parseLong(lines.readLine()) / 1024.0;
            double received = garbage / 1024.0;
            var text =
                    String.format(
                            Locale.ROOT,
                            "64 MiB between two processes: plain TCP %.2f GB/s, Spark's transport"
                                + " %.2f GB/s: %.2f of it %s; garbage a message: %.1f KiB where it"
                                + " is sent %s, %.1f KiB where it is received %s.%n",
                            BYTES / plain / 1e9,
                            BYTES / spark / 1e9,
                            plain / spark,
                            thresholds.atLeast(
                                    "the share of a plain TCP stream", plain / spark, LEAST_SHARE),
                            sent,
                            thresholds.atMost(
                                    "garbage where it is sent, KiB,", sent, MOST_GARBAGE_KIB),
                            received,
                            thresholds.atMost(
                                    "garbage where it is received, KiB,",
                                    received,
                                    MOST_GARBAGE_KIB));
            page.write("ExchangeBench", text);
            thresholds.end();
        }
    }

    private static long allocated() {
        var bean =
                (com.sun.management.ThreadMXBean)
                        java.lang.management.ManagementFactory.getThreadMXBean();
        return bean.getTotalThreadAllocatedBytes();
    }

    private interface Work {
        void run() throws IOException;
    }

    private static double timed(Work work) throws IOException {
        long start = System.nanoTime();
        work.run();
        return (System.nanoTime() - start) / 1e9;
    }

    private static void exchange(int rank, Group group, MemorySegment memory) {
        if (rank == 0) group.receive(1, memory).await();
        else group.send(0, memory).await();
    }

    private static SocketChannel stream(int rank, BufferedReader lines, PrintStream out)
            throws IOException {
        if (rank == 1)
            return SocketChannel.open(
                    new InetSocketAddress("localhost", Integer.parseInt(lines.readLine())));
        try (var server = ServerSocketChannel.open().bind(new InetSocketAddress("localhost", 0))) {
            out.println(((InetSocketAddress) server.getLocalAddress()).getPort());
            return server.accept();
        }
    }

    /** The bytes one way, and one byte back. */
    private static void plain(int rank, SocketChannel stream, ByteBuffer bytes) throws IOException {
        var answer = ByteBuffer.allocate(1);
        if (rank == 0) {
            while (bytes.hasRemaining()) stream.read(bytes);
            stream.write(answer);
        } else {
            while (bytes.hasRemaining()) stream.write(bytes);
            stream.read(answer);
        }
    }
}
