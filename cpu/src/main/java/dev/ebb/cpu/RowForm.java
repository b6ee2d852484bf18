package dev.ebb.cpu;

import dev.ebb.ir.Kernel.Combine;

/** A loop over rows that can be generated: a body, and what becomes of its values. */
record RowForm(FusedForm form, Use use) {
    /** Stored as they are, or combined. */
    enum Use {
        MAP,
        SUM,
        PROD,
        MAX,
        MIN
    }

    static Use use(Combine combine) {
        return switch (combine) {
            case SUM -> Use.SUM;
            case PROD -> Use.PROD;
            case MAX -> Use.MAX;
            case MIN -> Use.MIN;
        };
    }
}
