package dev.ebb.cli.studio;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.cli.report.RunWatch;
import dev.ebb.nn.file.Json;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.PrintWriter;
import java.net.ConnectException;
import java.net.NetworkInterface;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;

/**
 * Tests who may send requests to the studio, which requests it accepts, and the memory cost of a
 * client that does not read.
 */
class StudioServerTest {
    @TempDir Path folder;

    private StudioServer server;
    private Wire wire;
    private Path runs;

    /** A training that makes empty steps as fast as possible until it is stopped. */
    private static final class Steps implements TrainingBackend {
        @Override
        public int train(List<String> arguments, RunWatch watch, PrintWriter out, PrintWriter err) {
            watch.begins(new RunWatch.Begin(0, Long.MAX_VALUE, 1, 1, 1));
            for (long step = 1; !watch.isStopAsked(); step++)
                watch.made(new RunWatch.Made(step, 1.0 / step, 1e-6, 1));
            return 130;
        }

        @Override
        public double loss(Path checkpoint, Path text) {
            return 1;
        }

        @Override
        public String sample(Path checkpoint, String prompt) {
            return prompt;
        }

        @Override
        public byte[] ownText() {
            return new byte[100];
        }
    }

    /** A backend without models. */
    private static final class NoModels implements PlanningBackend {
        @Override
        public Step step(ModelKey key) {
            throw new IllegalArgumentException("no <b>model</b> here");
        }

        @Override
        public Memory memory(ModelKey key) {
            throw new IllegalArgumentException("no model here");
        }
    }

    @BeforeEach
    void start() throws IOException {
        runs = Files.createDirectory(folder.resolve("runs"));
        server = new StudioServer(0, runs, "tiny", new NoModels(), new Steps());
        wire = Wire.to(server.address());
    }

    @AfterEach
    void stop() {
        server.close();
    }

    /** The cookie in exchange for the token. */
    private String cookie() throws IOException {
        var answer = wire.get("/?" + server.address().getQuery());
        assertThat(answer.status()).isEqualTo(303);
        var cookie = answer.header("Set-Cookie").orElseThrow();
        assertThat(cookie).contains("HttpOnly", "SameSite=Strict");
        return "Cookie: " + cookie.substring(0, cookie.indexOf(';'));
    }

    private String origin() {
        return "Origin: http://" + wire.host();
    }

    @Test
    void a_token_works_once() throws IOException {
        var used = "/?" + server.address().getQuery();
        assertThat(wire.get("/").status()).isEqualTo(403);
        assertThat(wire.get("/?token=guess").status()).isEqualTo(403);
        var cookie = cookie();
        assertThat(wire.get("/", cookie).status()).isEqualTo(200);
        assertThat(wire.get(used).status()).isEqualTo(403);
        assertThat(wire.get("/api/runs").status()).isEqualTo(403);
        assertThat(wire.get("/main.js").status()).isEqualTo(403);
        assertThat(wire.get("/", "Cookie: ebb-studio-" + wire.port() + "=guess").status())
                .isEqualTo(403);
        assertThat(server.address().getQuery()).isNull();
    }

    @Test
    void another_origin_host_or_site_is_refused() throws IOException {
        var cookie = cookie();
        assertThat(wire.get("/api/runs", cookie).status()).isEqualTo(200);
        assertThat(wire.get("/api/runs", cookie, origin()).status()).isEqualTo(200);
        for (var header :
                List.of(
                        "Origin: http://evil.example",
                        "Origin: null",
                        "Origin: https://" + wire.host(),
                        "Host: evil.example:" + wire.port(),
                        "Host: 127.0.0.1",
                        "Sec-Fetch-Site: cross-site",
                        "Sec-Fetch-Site: same-site"))
            assertThat(wire.get("/api/runs", cookie, header).status()).as(header).isEqualTo(403);
        var body = "{\"name\":\"x\"}";
        assertThat(wire.request("POST", "/api/start", body, cookie).status())
                .as("a command without an origin")
                .isEqualTo(403);
        assertThat(wire.request("POST", "/api/start", body, origin()).status())
                .as("a command without the cookie")
                .isEqualTo(403);
        assertThat(wire.get("/api/start", cookie).status()).as("a command by GET").isEqualTo(405);
    }

    @Test
    void what_is_asked_stays_in_the_folder() throws IOException {
        var cookie = cookie();
        Files.writeString(folder.resolve("secret.txt"), "secret");
        Files.createSymbolicLink(runs.resolve("out"), folder);
        for (var path :
                List.of(
                        "/../secret.txt",
                        "/%2e%2e/secret.txt",
                        "/report/..",
                        "/report/..%2f..%2fsecret.txt",
                        "/report/out",
                        "/api/run?name=..",
                        "/api/run?name=../runs",
                        "/api/run?name=%2fetc",
                        "/api/run?name=out",
                        "/api/compare?a=..&b=..",
                        "/StudioServer.class"))
            assertThat(wire.get(path, cookie).status()).as(path).isIn(400, 404);
        for (var body :
                List.of(
                        "{\"name\":\"../x\"}",
                        "{\"name\":\"a/b\"}",
                        "{\"name\":\"-x\"}",
                        "{\"name\":\"x\",\"text\":\"../secret.txt\"}",
                        "{\"name\":\"x\",\"text\":\"out/secret.txt\"}",
                        "{\"name\":\"x\",\"from\":\"../secret.txt\"}",
                        "{\"name\":\"x\",\"from\":\"out/secret.txt\"}",
                        "{\"name\":\"x\",\"text\":\"" + folder.resolve("secret.txt") + "\"}",
                        "not json",
                        "{\"name\":\"" + "x".repeat(40_000) + "\"}")) {
            var answer = wire.request("POST", "/api/start", body, cookie, origin());
            assertThat(answer.status()).as(body).isIn(400, 413);
            assertThat(answer.body()).doesNotContain("secret\"");
        }
        assertThat(runs.resolve("x")).doesNotExist();
    }

    @Test
    void a_run_starts_from_a_checkpoint_of_the_folder() throws IOException {
        var file = "first/checkpoint.safetensors";
        Files.createDirectory(runs.resolve("first"));
        Files.writeString(runs.resolve(file), "x");
        var body = "{\"name\":\"second\",\"from\":\"" + file + "\"}";
        var started = wire.request("POST", "/api/start", body, cookie(), origin());
        assertThat(started.body()).contains("--from " + runs.resolve(file).toRealPath());
    }

    @Test
    void hostile_names_are_text() throws IOException, InterruptedException {
        var cookie = cookie();
        var name = "<img src=x onerror=alert(1)>";
        var hostile = Files.createDirectory(runs.resolve(name));
        Files.writeString(hostile.resolve(StoredRun.CHECKPOINT), "no checkpoint");
        var list = wire.get("/api/runs", cookie);
        assertThat(list.header("Content-Type")).contains("application/json");
        assertThat(list.header("X-Content-Type-Options")).contains("nosniff");
        assertThat(list.body()).contains("unreadable");
        for (var query :
                List.of(
                        "model=<script>alert(1)</script>",
                        "batch=-1",
                        "precision=%00",
                        "model=9999x1x1")) {
            var answer =
                    wire.get("/api/model?" + query.replace("<", "%3C").replace(">", "%3E"), cookie);
            assertThat(answer.status()).as(query).isEqualTo(400);
            assertThat(answer.header("Content-Type")).contains("application/json");
        }
        var page = wire.get("/", cookie);
        assertThat(page.header("Content-Security-Policy").orElseThrow())
                .contains("default-src 'none'", "script-src 'self'", "frame-ancestors 'none'");
        assertThat(page.body()).doesNotContain("http://", "https://", "<script>");
    }

    @Test
    void it_listens_to_this_machine_alone() throws IOException {
        assertThat(server.address().getHost()).isEqualTo("127.0.0.1");
        for (var card : Collections.list(NetworkInterface.getNetworkInterfaces())) {
            for (var address : Collections.list(card.getInetAddresses())) {
                if (address.isLoopbackAddress() || address.isLinkLocalAddress()) continue;
                try (var socket = new Socket(address, wire.port())) {
                    assertThat(socket.isConnected()).as(address.toString()).isFalse();
                } catch (ConnectException _) {
                    // as it should be
                }
            }
        }
    }

    @Test
    void a_reader_who_does_not_read_costs_nothing() throws Exception {
        var cookie = cookie();
        var started = wire.request("POST", "/api/start", "{\"name\":\"run\"}", cookie, origin());
        assertThat(started.status()).as(started.body()).isEqualTo(200);
        var again = wire.request("POST", "/api/start", "{\"name\":\"two\"}", cookie, origin());
        assertThat(again.status()).as("one run at a time").isEqualTo(409);
        try (var slow = new Socket("127.0.0.1", wire.port())) {
            slow.setReceiveBufferSize(1024);
            slow.getOutputStream().write(wire.text("GET", "/api/events?name=run", "", cookie));
            slow.getOutputStream().flush();
            long before = step(cookie);
            long heap = alive();
            while (step(cookie) < before + 60_000) Thread.sleep(20);
            assertThat(alive() - heap).as("bytes more after 60,000 events").isLessThan(8 << 20);
            var points = json(cookie).at("losses").orElseThrow().elements();
            assertThat(points).hasSizeBetween(SampledCurve.MOST / 4, SampledCurve.MOST);
        }
        var stopped = wire.request("POST", "/api/stop", "{\"name\":\"run\"}", cookie, origin());
        assertThat(stopped.status()).isEqualTo(200);
        while (!json(cookie).at("state").equals(java.util.Optional.of(Json.of("stopped"))))
            Thread.sleep(5);
        var events = wire.get("/api/events?name=run", cookie);
        assertThat(events.header("Content-Type")).contains("text/event-stream");
        assertThat(events.body()).contains("data: ", "\"state\":\"stopped\"");
    }

    private Json json(String cookie) throws IOException {
        return Json.parse(wire.get("/api/run?name=run", cookie).body());
    }

    private long step(String cookie) throws IOException {
        return json(cookie).at("step").flatMap(Json::whole).orElse(0L);
    }

    /**
     * The bytes of the heap in use: the smallest of several readings, because other threads create
     * garbage.
     */
    private static long alive() {
        var jvm = Runtime.getRuntime();
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 10; i++) {
            System.gc();
            least = Math.min(least, jvm.totalMemory() - jvm.freeMemory());
        }
        return least;
    }
}
