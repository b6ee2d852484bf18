package dev.ebb.cli.option;

import dev.ebb.plan.Budget;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

import java.util.Locale;

/** Budgets on the command line: 50000000, 64MiB, 1.5GiB, 50%. */
public final class BudgetText implements ITypeConverter<Budget> {
    @Override
    public Budget convert(String text) {
        try {
            return Budget.of(text);
        } catch (IllegalArgumentException e) {
            throw new TypeConversionException(String.valueOf(e.getMessage()));
        }
    }

    /** A number of bytes with a unit, such as 1.5 GiB. */
    public static String show(long bytes) {
        if (bytes < 1 << 10) return bytes + " B";
        if (bytes < 1 << 20) return String.format(Locale.ROOT, "%.1f KiB", bytes / 0x1p10);
        if (bytes < 1 << 30) return String.format(Locale.ROOT, "%.1f MiB", bytes / 0x1p20);
        return String.format(Locale.ROOT, "%.2f GiB", bytes / 0x1p30);
    }
}
