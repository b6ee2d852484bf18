package dev.ebb.spark;

import org.apache.spark.network.TransportContext;
import org.apache.spark.network.server.NoOpRpcHandler;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** A process that knows the ports of ranks, but not their secret. */
final class Uninvited {
    private Uninvited() {}

    /** The ports on which a process listens, according to Linux. */
    static Set<Integer> ports(long process) throws IOException {
        var sockets = new HashSet<String>();
        try (var files = Files.list(Path.of("/proc/" + process + "/fd"))) {
            for (var file : files.toList()) {
                try {
                    sockets.add(Files.readSymbolicLink(file).toString());
                } catch (IOException e) {
                    continue; // closed meanwhile
                }
            }
        }
        var ports = new HashSet<Integer>();
        for (var table : List.of("/proc/net/tcp", "/proc/net/tcp6")) {
            if (!Files.exists(Path.of(table))) continue;
            for (var line : Files.readAllLines(Path.of(table)).stream().skip(1).toList()) {
                var words = line.trim().split("\\s+");
                boolean listens = words[3].equals("0A");
                if (listens && sockets.contains("socket:[" + words[9] + "]"))
                    ports.add(Integer.parseInt(words[1].split(":")[1], 16));
            }
        }
        return ports;
    }

    /**
     * Whether a message sent to a port without the secret reaches the listener: a rank then answers
     * that it takes no requests, and any other process may answer anything.
     */
    static boolean isHeard(int port) {
        try (var context = new TransportContext(Loopback.conf(), new NoOpRpcHandler());
                var clients = context.createClientFactory(List.of())) {
            clients.createClient("localhost", port)
                    .sendRpcSync(new MessageHeader(1, 0, 0, 8).encoded(), 60_000);
            return true;
        } catch (IOException | RuntimeException | InterruptedException e) {
            return String.valueOf(e.getMessage()).contains(MessageReceiver.NO_QUESTIONS);
        }
    }
}
