package dev.ebb.cli.studio;

import com.sun.net.httpserver.HttpExchange;

import dev.ebb.nn.file.FileFormatException;
import dev.ebb.nn.file.Json;

import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** The parameters of a request, by name, from its address or from a small JSON object. */
record Query(Map<String, String> texts) {
    private static final int MOST_BYTES = 1 << 14;

    Query {
        texts = Map.copyOf(texts);
    }

    static Query ofAddress(HttpExchange exchange) {
        var texts = new LinkedHashMap<String, String>();
        var raw = exchange.getRequestURI().getRawQuery();
        if (raw == null || raw.isEmpty()) return new Query(texts);
        try {
            for (var pair : raw.split("&", -1)) {
                int equals = pair.indexOf('=');
                if (equals <= 0) continue;
                texts.put(decoded(pair.substring(0, equals)), decoded(pair.substring(equals + 1)));
            }
        } catch (IllegalArgumentException _) {
            throw RequestError.wrong("the address is not encoded as one");
        }
        return new Query(texts);
    }

    private static String decoded(String text) {
        return URLDecoder.decode(text, StandardCharsets.UTF_8);
    }

    static Query ofBody(HttpExchange exchange) throws IOException {
        var bytes = exchange.getRequestBody().readNBytes(MOST_BYTES + 1);
        if (bytes.length > MOST_BYTES) throw new RequestError(413, "the request is too long");
        try {
            var json = Json.parse(new String(bytes, StandardCharsets.UTF_8));
            var texts = new LinkedHashMap<String, String>();
            if (json instanceof Json.Obj(var members))
                members.forEach((name, value) -> value.text().ifPresent(t -> texts.put(name, t)));
            return new Query(texts);
        } catch (FileFormatException e) {
            throw RequestError.wrong("the request is not JSON: " + e.getMessage());
        }
    }

    Optional<String> find(String name) {
        return Optional.ofNullable(texts.get(name)).filter(text -> !text.isEmpty());
    }

    String text(String name) {
        return find(name).orElseThrow(() -> RequestError.wrong("the request lacks " + name));
    }

    long whole(String name, long least, long most) {
        var text = text(name);
        try {
            long n = Long.parseLong(text);
            if (n >= least && n <= most) return n;
        } catch (NumberFormatException _) {
            // reported below
        }
        throw RequestError.wrong(
                name + " is a whole number from " + least + " to " + most + ", not '" + text + "'");
    }
}
