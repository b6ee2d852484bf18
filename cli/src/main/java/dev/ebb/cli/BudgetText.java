package dev.ebb.cli;

import dev.ebb.plan.Budget;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

import java.math.BigDecimal;
import java.util.Locale;
import java.util.regex.Pattern;

/** Budgets as people write them: 50000000, 64MiB, 1.5 GiB, 50%. */
final class BudgetText implements ITypeConverter<Budget> {
    private static final Pattern FORM =
            Pattern.compile(
                    "\\s*([0-9]+(?:\\.[0-9]+)?)\\s*(%|[KMGT]iB|B|)\\s*", Pattern.CASE_INSENSITIVE);

    @Override
    public Budget convert(String text) {
        var form = FORM.matcher(text);
        if (!form.matches()) {
            throw new TypeConversionException(
                    "'"
                            + text
                            + "' is no budget; write bytes, KiB, MiB, GiB or a percentage:"
                            + " 50000000, 64MiB, 1.5GiB, 50%");
        }
        var number = new BigDecimal(form.group(1));
        var unit = form.group(2).toLowerCase(Locale.ROOT);
        try {
            if (unit.equals("%")) return Budget.share(number.doubleValue() / 100);
            long scale =
                    switch (unit) {
                        case "kib" -> 1L << 10;
                        case "mib" -> 1L << 20;
                        case "gib" -> 1L << 30;
                        case "tib" -> 1L << 40;
                        default -> 1;
                    };
            return Budget.bytes(
                    number.multiply(BigDecimal.valueOf(scale)).toBigInteger().longValueExact());
        } catch (IllegalArgumentException | ArithmeticException e) {
            throw new TypeConversionException("'" + text + "' is no budget: " + e.getMessage());
        }
    }

    /** Bytes as people read them. */
    static String show(long bytes) {
        if (bytes < 1 << 10) return bytes + " B";
        if (bytes < 1 << 20) return String.format(Locale.ROOT, "%.1f KiB", bytes / 1024.0);
        if (bytes < 1 << 30) return String.format(Locale.ROOT, "%.1f MiB", bytes / 1048576.0);
        return String.format(Locale.ROOT, "%.2f GiB", bytes / 1073741824.0);
    }
}
