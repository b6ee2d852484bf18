package dev.ebb.cli.studio;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;

import dev.ebb.cli.option.Refusal;
import dev.ebb.nn.file.Json;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * The HTTP server of the studio, reachable from this machine only. Every request is checked by its
 * {@link Session} first; {@link #answer} lists all requests.
 */
public final class StudioServer implements AutoCloseable {
    private static final int BACKLOG = 64;

    private final HttpServer http;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final Session session;
    private final StudioApi api;

    /**
     * Starts the server.
     *
     * @param port 0 for any free port
     * @param folder the folder of the runs
     * @param model the model that the page shows first
     */
    public StudioServer(
            int port, Path folder, String model, PlanningBackend models, TrainingBackend trainings)
            throws IOException {
        var here = new StudioFolder(folder);
        api =
                new StudioApi(
                        model,
                        here,
                        new BackgroundPlanner(models),
                        models,
                        new StudioRuns(here, trainings));
        var loopback = InetAddress.getByAddress("localhost", new byte[] {127, 0, 0, 1});
        http = HttpServer.create(new InetSocketAddress(loopback, port), BACKLOG);
        session = new Session(http.getAddress().getPort());
        http.setExecutor(threads);
        http.createContext("/", this::handle);
        http.start();
    }

    /** The address to open, with the token that works once. */
    public URI address() {
        return URI.create(root() + session.token().map(token -> "?token=" + token).orElse(""));
    }

    private String root() {
        return "http://127.0.0.1:" + http.getAddress().getPort() + "/";
    }

    /** Starts to plan in the background, so that the page waits less. */
    public void prepare() {
        api.prepare();
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            try {
                checked(exchange);
            } catch (RequestError e) {
                Responses.refuse(exchange, e.status(), e.why());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (Refusal | IllegalArgumentException e) {
                Responses.refuse(exchange, 400, String.valueOf(e.getMessage()));
            } catch (IOException e) {
                // a file cannot be read; if the browser closed the connection, this message is lost
                Responses.refuse(exchange, 400, String.valueOf(e.getMessage()));
            } catch (RuntimeException e) {
                Responses.refuse(exchange, 500, "internal error in Ebb: " + e);
            }
        } catch (IOException _) {
            // the browser closed the connection, or the rest of the response cannot be sent
        }
    }

    private void checked(HttpExchange exchange) throws IOException, InterruptedException {
        var refusal = session.refusal(exchange);
        if (refusal.isPresent()) {
            Responses.text(exchange, 403, refusal.get());
            return;
        }
        var path = exchange.getRequestURI().getPath();
        var token = Query.ofAddress(exchange).find("token");
        if (path.equals("/") && token.isPresent()) {
            enter(exchange, token.get());
            return;
        }
        if (!session.isKnown(exchange)) {
            Responses.text(
                    exchange,
                    403,
                    "Open the address that 'ebb studio' printed; it works once. For another, start"
                            + " 'ebb studio' again.");
            return;
        }
        if (path.startsWith("/api/")) answer(exchange, path.substring(5));
        else page(exchange, path);
    }

    /**
     * Exchanges the token for a cookie; a browser that already has the cookie may open the address
     * again.
     */
    private void enter(HttpExchange exchange, String token) throws IOException {
        if (session.redeem(token)) {
            exchange.getResponseHeaders().set("Set-Cookie", session.cookie());
        } else {
            Responses.text(
                    exchange,
                    403,
                    "This address was used already, or is not the one that 'ebb studio' printed.");
            return;
        }
        Responses.redirect(exchange, "/");
    }

    private void page(HttpExchange exchange, String path) throws IOException {
        only(exchange, "GET");
        if (path.startsWith("/report/")) {
            api.report(exchange, path.substring("/report/".length()));
            return;
        }
        var asset = Assets.at(path);
        if (asset.isPresent())
            Responses.send(exchange, 200, asset.get().type(), asset.get().bytes());
        else Responses.text(exchange, 404, "There is nothing here.");
    }

    private static void only(HttpExchange exchange, String method) {
        if (!exchange.getRequestMethod().equals(method))
            throw new RequestError(405, "this address takes requests of method " + method);
    }

    private void answer(HttpExchange exchange, String path)
            throws IOException, InterruptedException {
        switch (path) {
            case "start", "resume", "stop", "sample" -> {
                only(exchange, "POST");
                Responses.json(
                        exchange, Responses.bytes(api.command(path, Query.ofBody(exchange))));
            }
            case "events" -> {
                only(exchange, "GET");
                EventStream.send(exchange, api.watched(Query.ofAddress(exchange)));
            }
            default -> {
                only(exchange, "GET");
                Responses.json(exchange, api.answer(path, Query.ofAddress(exchange)));
            }
        }
    }

    /** The response to a request whose result is not ready. */
    static byte[] pending() {
        var all = new LinkedHashMap<String, Json>();
        all.put("state", Json.of("pending"));
        return Responses.bytes(Json.of(all));
    }

    @Override
    public void close() {
        api.close();
        http.stop(0);
        threads.shutdownNow();
    }
}
