package dev.ebb.ir;

import java.util.List;

/**
 * A product whose right factor is nowhere stored: it is what {@code factor}, a map with one body,
 * would have written, and {@code product} reads it by its view {@code b}. A matrix that is held in
 * few bits is widened so while it is multiplied. Operands are {@code a}, those of the factor, and
 * the extras of the product.
 */
public record Decoded(Kernel.Map factor, Kernel.Contract product) implements Kernel {
    public Decoded {
        if (factor.bodies().size() != 1)
            throw new IllegalArgumentException(
                    "a factor of a product has one body, not " + factor.bodies().size());
    }

    /** Those of the operands that the factor is made of. */
    public <T> List<T> encoded(List<T> operands) {
        return operands.subList(1, 1 + factor.operands().size());
    }

    /** Those of the operands that the epilogue reads. */
    public <T> List<T> extras(List<T> operands) {
        return operands.subList(1 + factor.operands().size(), operands.size());
    }
}
