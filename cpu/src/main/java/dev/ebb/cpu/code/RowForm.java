package dev.ebb.cpu.code;

import dev.ebb.ir.Kernel.Combine;

/** A loop over rows that can be generated: a body, and the use of its values. */
public record RowForm(FusedForm form, Use use) {
    /** Whether values are stored or combined. */
    public enum Use {
        MAP,
        SUM,
        PROD,
        MAX,
        MIN
    }

    public static Use use(Combine combine) {
        return switch (combine) {
            case SUM -> Use.SUM;
            case PROD -> Use.PROD;
            case MAX -> Use.MAX;
            case MIN -> Use.MIN;
        };
    }
}
