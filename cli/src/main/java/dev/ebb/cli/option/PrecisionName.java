package dev.ebb.cli.option;

import dev.ebb.ir.DType;

import java.util.Locale;

/** The type in which a model is computed; its weights are stored in f32. */
public enum PrecisionName {
    F32(DType.F32),
    BF16(DType.BF16),
    F16(DType.F16);

    private final DType type;

    PrecisionName(DType type) {
        this.type = type;
    }

    public DType type() {
        return type;
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
