package dev.ebb.cli.studio;

import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.regex.Pattern;

/** Sends requests byte by byte, with headers that no browser would send. */
record Wire(int port) {
    record Answer(int status, String head, String body) {
        Optional<String> header(String name) {
            var found =
                    Pattern.compile("(?im)^" + Pattern.quote(name) + ": (.*?)\r?$").matcher(head);
            return found.find() ? Optional.of(found.group(1)) : Optional.empty();
        }
    }

    static Wire to(URI address) {
        return new Wire(address.getPort());
    }

    String host() {
        return "127.0.0.1:" + port;
    }

    Answer get(String path, String... headers) throws IOException {
        return request("GET", path, "", headers);
    }

    /** A request with the given headers, and a Host header if none is given. */
    Answer request(String method, String path, String body, String... headers) throws IOException {
        try (var socket = new Socket("127.0.0.1", port)) {
            socket.setSoTimeout(30_000);
            socket.getOutputStream().write(text(method, path, body, headers));
            socket.getOutputStream().flush();
            var all =
                    new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
            int end = all.indexOf("\r\n\r\n");
            var head = end < 0 ? all : all.substring(0, end);
            int status = head.length() < 12 ? 0 : Integer.parseInt(head.substring(9, 12));
            return new Answer(status, head, end < 0 ? "" : all.substring(end + 4));
        }
    }

    byte[] text(String method, String path, String body, String... headers) {
        var text = new StringBuilder(method + " " + path + " HTTP/1.1\r\nConnection: close\r\n");
        boolean named = false;
        for (var header : headers) {
            named |= header.startsWith("Host:");
            text.append(header).append("\r\n");
        }
        if (!named) text.append("Host: ").append(host()).append("\r\n");
        if (!body.isEmpty())
            text.append("Content-Length: ")
                    .append(body.getBytes(StandardCharsets.UTF_8).length)
                    .append("\r\n");
        return (text + "\r\n" + body).getBytes(StandardCharsets.UTF_8);
    }
}
