package dev.ebb.cli.studio;

import com.sun.net.httpserver.HttpExchange;

import java.io.IOException;
import java.nio.charset.StandardCharsets;

/**
 * Sends the events of a run to one page as server-sent events. If the page reads too slowly, it
 * gets only the latest event.
 */
final class EventStream {
    private static final long QUIET_MILLIS = 10_000;
    private static final byte[] ALIVE = ": alive\n\n".getBytes(StandardCharsets.UTF_8);

    private EventStream() {}

    static void send(HttpExchange exchange, LiveRun run) throws IOException, InterruptedException {
        var box = run.subscribe();
        try {
            Responses.guard(exchange);
            exchange.getResponseHeaders().set("Content-Type", "text/event-stream");
            exchange.sendResponseHeaders(200, 0);
            try (var out = exchange.getResponseBody()) {
                while (!box.isClosed()) {
                    var event = box.take(QUIET_MILLIS);
                    var bytes =
                            event.map(e -> ("data: " + e + "\n\n").getBytes(StandardCharsets.UTF_8))
                                    .orElse(ALIVE);
                    out.write(bytes);
                    out.flush();
                }
            }
        } finally {
            run.unsubscribe(box);
        }
    }
}
