package dev.ebb.plan;

import java.util.Locale;
import java.util.regex.Pattern;

/**
 * Reads a budget as people write it: {@code 1073741824}, {@code 64MiB}, {@code 1.5GiB}, {@code
 * 80%}, {@code free} for nine tenths of what the machine has free.
 */
final class BudgetParser {
    private static final Pattern FORM = Pattern.compile("([0-9]+(?:\\.[0-9]+)?) *(%|[a-zA-Z]*)");

    private BudgetParser() {}

    static Budget parse(String text) {
        if (text.strip().equalsIgnoreCase("free")) return Budget.free();
        var match = FORM.matcher(text.strip());
        if (!match.matches()) throw fault(text);
        double number = Double.parseDouble(match.group(1));
        var unit = match.group(2).toLowerCase(Locale.ROOT);
        if (unit.equals("%")) return Budget.share(number / 100);
        double scale =
                switch (unit) {
                    case "", "b", "bytes" -> 1;
                    case "k", "kib" -> 0x1p10;
                    case "m", "mib" -> 0x1p20;
                    case "g", "gib" -> 0x1p30;
                    case "t", "tib" -> 0x1p40;
                    case "kb" -> 1e3;
                    case "mb" -> 1e6;
                    case "gb" -> 1e9;
                    default -> throw fault(text);
                };
        if (scale == 1 && !match.group(1).contains(".") && match.group(1).length() < 19) {
            return Budget.bytes(Long.parseLong(match.group(1)));
        }
        if (number * scale >= Long.MAX_VALUE) {
            throw new IllegalArgumentException(
                    "a budget of " + text + " overflows a long; give at most 8388607TiB");
        }
        return Budget.bytes((long) (number * scale));
    }

    private static IllegalArgumentException fault(String text) {
        return new IllegalArgumentException(
                "'"
                        + text
                        + "' is not a budget: give bytes (1073741824), a size (64MiB), a share of"
                        + " keeping everything (80%) or free");
    }
}
