package dev.ebb.cli.studio;

import com.sun.net.httpserver.HttpExchange;

import dev.ebb.nn.file.Json;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * Writes HTTP responses, with the headers that keep the page to its own server and out of frames.
 */
final class Responses {
    private static final String POLICY =
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
                    + " connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors"
                    + " 'none'";

    private Responses() {}

    static void send(HttpExchange exchange, int status, String type, byte[] body)
            throws IOException {
        guard(exchange);
        exchange.getResponseHeaders().set("Content-Type", type);
        exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
        try (var out = exchange.getResponseBody()) {
            out.write(body);
        }
    }

    /** Sends a page that contains its own scripts, sandboxed without an origin. */
    static void report(HttpExchange exchange, byte[] page) throws IOException {
        guard(exchange);
        exchange.getResponseHeaders()
                .set(
                        "Content-Security-Policy",
                        "sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline'"
                                + " data:; style-src 'unsafe-inline'; img-src data:;"
                                + " frame-ancestors 'none'");
        exchange.getResponseHeaders().set("Content-Type", "text/html; charset=utf-8");
        exchange.sendResponseHeaders(200, page.length);
        try (var out = exchange.getResponseBody()) {
            out.write(page);
        }
    }

    /** Sets the headers that every response has. */
    static void guard(HttpExchange exchange) {
        var headers = exchange.getResponseHeaders();
        headers.set("Content-Security-Policy", POLICY);
        headers.set("X-Content-Type-Options", "nosniff");
        headers.set("Referrer-Policy", "no-referrer");
        headers.set("Cross-Origin-Resource-Policy", "same-origin");
        headers.set("Cache-Control", "no-store");
    }

    static byte[] bytes(Json json) {
        return json.toString().getBytes(StandardCharsets.UTF_8);
    }

    static void json(HttpExchange exchange, byte[] json) throws IOException {
        send(exchange, 200, "application/json", json);
    }

    static void refuse(HttpExchange exchange, int status, String why) throws IOException {
        send(exchange, status, "application/json", bytes(Json.of(Map.of("error", Json.of(why)))));
    }

    static void text(HttpExchange exchange, int status, String text) throws IOException {
        send(
                exchange,
                status,
                "text/plain; charset=utf-8",
                (text + "\n").getBytes(StandardCharsets.UTF_8));
    }

    static void redirect(HttpExchange exchange, String to) throws IOException {
        exchange.getResponseHeaders().set("Location", to);
        send(exchange, 303, "text/plain; charset=utf-8", new byte[0]);
    }
}
