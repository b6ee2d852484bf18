package dev.ebb.cli.option;

import dev.ebb.exec.Device;
import dev.ebb.exec.timing.Timed;
import dev.ebb.plan.cost.Prices;
import dev.ebb.plan.schedule.Cost;

import picocli.CommandLine.ITypeConverter;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The source of the kernel costs: {@code typical}, {@code timed}, or a file. */
public record CostText(String text) {
    public static final String HELP =
            "How kernel times are predicted: typical, from fixed rates of the device, with the same"
                    + " plan on every machine; timed, by measuring kernels on this machine (cached"
                    + " in ~/.cache/ebb/prices); or a file of such measurements. Default: typical.";

    /** Parses the option. */
    public static final class Converter implements ITypeConverter<CostText> {
        @Override
        public CostText convert(String text) {
            return new CostText(text);
        }
    }

    public static CostText typical() {
        return new CostText("typical");
    }

    /** Whether plans are the same on every machine. */
    public boolean isTypical() {
        return text.equals("typical");
    }

    public Cost on(Device device) {
        if (isTypical()) return device.cost();
        if (text.equals("timed")) return Timed.on(device, cache());
        var file = Path.of(text);
        if (!Files.exists(file))
            throw new Refusal("--cost " + text + ": give typical, timed or a file of prices");
        try {
            return Prices.load(file);
        } catch (IOException e) {
            throw new Refusal("--cost " + text + ": " + e.getMessage());
        }
    }

    private static Path cache() {
        return Path.of(System.getProperty("user.home"), ".cache", "ebb", "prices");
    }
}
