package dev.ebb.cli.studio;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.List;
import java.util.Optional;

/**
 * Authenticates requests. The printed address has a token that works once and is exchanged for a
 * cookie, which a browser does not send for other sites' pages. A request must also name this
 * server in its Host header, so that a foreign name that resolves to this machine is refused, and
 * must not come from a page of another origin.
 */
final class Session {
    private static final int RANDOM_BYTES = 32;

    private final int port;
    private Optional<String> token = Optional.of(random());
    private final String secret = random();

    Session(int port) {
        this.port = port;
    }

    private static String random() {
        var bytes = new byte[RANDOM_BYTES];
        new SecureRandom().nextBytes(bytes);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    /** The token at the end of the printed address; empty once it was used. */
    synchronized Optional<String> token() {
        return token;
    }

    /** Whether {@code given} is the token, which is invalid afterwards. */
    synchronized boolean redeem(String given) {
        if (token.isEmpty() || !same(token.get(), given)) return false;
        token = Optional.empty();
        return true;
    }

    /** The value of the Set-Cookie header. */
    String cookie() {
        return name() + "=" + secret + "; Path=/; HttpOnly; SameSite=Strict";
    }

    /**
     * The cookie's name; it contains the port, so that servers on several ports of this machine do
     * not share cookies.
     */
    private String name() {
        return "ebb-studio-" + port;
    }

    boolean isKnown(HttpExchange exchange) {
        var sent = exchange.getRequestHeaders().getOrDefault("Cookie", List.of());
        for (var line : sent) {
            for (var cookie : line.split(";", -1)) {
                int equals = cookie.indexOf('=');
                if (equals > 0
                        && cookie.substring(0, equals).strip().equals(name())
                        && same(secret, cookie.substring(equals + 1).strip())) return true;
            }
        }
        return false;
    }

    private static boolean same(String a, String b) {
        return MessageDigest.isEqual(
                a.getBytes(StandardCharsets.UTF_8), b.getBytes(StandardCharsets.UTF_8));
    }

    /** Why a request is refused, with or without a valid cookie; empty if it is not refused. */
    Optional<String> refusal(HttpExchange exchange) {
        var headers = exchange.getRequestHeaders();
        var host = only(headers, "Host");
        if (host.isEmpty() || !isOwn(host.get()))
            return Optional.of(
                    "the Host header must be 127.0.0.1:" + port + " or localhost:" + port);
        var origin = only(headers, "Origin");
        boolean asks = exchange.getRequestMethod().equals("GET");
        if (origin.isPresent() ? !origin.get().equals("http://" + host.get()) : !asks)
            return Optional.of("requests from pages of another origin are refused");
        var site = only(headers, "Sec-Fetch-Site");
        if (site.isPresent() && !site.get().equals("same-origin") && !site.get().equals("none"))
            return Optional.of("requests from pages of another site are refused");
        return Optional.empty();
    }

    private boolean isOwn(String host) {
        return host.equals("127.0.0.1:" + port) || host.equals("localhost:" + port);
    }

    /** The value of a header; the empty text, which no check accepts, if it is repeated. */
    private static Optional<String> only(Headers headers, String name) {
        var all = headers.getOrDefault(name, List.of());
        if (all.size() > 1) return Optional.of("");
        return all.stream().findFirst();
    }
}
