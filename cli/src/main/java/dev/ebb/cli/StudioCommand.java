package dev.ebb.cli;

import dev.ebb.cli.option.CacheArgument;
import dev.ebb.cli.option.Refusal;
import dev.ebb.cli.studio.Browsers;
import dev.ebb.cli.studio.StudioFolder;
import dev.ebb.cli.studio.StudioServer;
import dev.ebb.nn.model.ModelSize;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.net.BindException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;

/** Starts the studio's web server. */
@Command(
        name = "studio",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Open a local web page: see memory use, change the budget, watch a run.",
            "It runs until Ctrl-C, which also stops a training run; that can be resumed."
        })
final class StudioCommand implements Callable<Integer> {
    @Option(names = "--port", paramLabel = "N", description = "Default: any free port.")
    private int port;

    @Option(
            names = "--folder",
            paramLabel = "DIR",
            description = "The folder of the runs, one subfolder each. Default: here.")
    private Path folder = Path.of(".");

    @Option(
            names = "--model",
            paramLabel = "SIZE",
            description =
                    "The model shown first: tiny, small, medium, large or LAYERSxWIDTHxHEADS."
                            + " Default: small.")
    private String model = "small";

    @Option(
            names = "--browser",
            negatable = true,
            defaultValue = "true",
            fallbackValue = "true",
            description = "Open the page in a browser. Default: yes.")
    private boolean browser = true;

    @Mixin private CacheArgument cache = new CacheArgument();

    @Spec private @Nullable CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        if (port < 0 || port > 65535) throw new Refusal("--port is from 0 to 65535, not " + port);
        if (!Files.isDirectory(folder)) throw new Refusal(folder + ": there is no such folder");
        ModelSize.of(model);
        var out = Objects.requireNonNull(spec).commandLine().getOut();
        var models = new StudioPlanning(cache.cache(), new StudioFolder(folder));
        try (var server = new StudioServer(port, folder, model, models, new StudioTraining())) {
            server.prepare();
            var address = server.address();
            out.println("studio: " + address);
            out.println(
                    "The address works once and for this machine alone; Ctrl-C ends the studio.");
            out.flush();
            if (browser) Browsers.open(address);
            return untilStopped();
        } catch (BindException e) {
            throw new Refusal("port " + port + " is in use; name another with --port", e);
        }
    }

    /** Waits until the process is ended, as a server does not end by itself. */
    private static int untilStopped() {
        try {
            new CountDownLatch(1).await();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
        return 0;
    }
}
