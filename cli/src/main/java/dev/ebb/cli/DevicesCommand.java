package dev.ebb.cli;

import dev.ebb.Devices;
import dev.ebb.exec.DeviceProvider;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

import java.util.Objects;
import java.util.concurrent.Callable;

/** Lists the available devices. */
@Command(
        name = "devices",
        mixinStandardHelpOptions = true,
        description = "List the available devices, and why others are not available.")
final class DevicesCommand implements Callable<Integer> {
    @Spec private @Nullable CommandSpec spec;

    @Override
    public Integer call() {
        var out = Objects.requireNonNull(spec).commandLine().getOut();
        for (var kind : Devices.all()) {
            switch (kind.found()) {
                case DeviceProvider.Here here -> {
                    out.printf("%-6s %s%n", kind.name(), here.description());
                    here.device().uncounted().ifPresent(text -> out.printf("%-6s %s%n", "", text));
                }
                case DeviceProvider.Missing missing ->
                        out.printf("%-6s not available: %s%n", kind.name(), missing.reason());
            }
        }
        out.println("best   " + Devices.best().name());
        return 0;
    }
}
