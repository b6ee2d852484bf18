package dev.ebb.ir;

import java.util.List;

/**
 * A product whose right factor is computed while it is multiplied and is never stored. The factor
 * is the output of {@code factor}, a map with one body, and {@code product} reads it by its view
 * {@code b}. So a quantised matrix is decoded during the product. Operands are {@code a}, the
 * operands of the factor, and the extras of the product.
 */
public record DecodingContract(Kernel.Map factor, Kernel.Contract product)
        implements Kernel.Opaque {
    public DecodingContract {
        if (factor.bodies().size() != 1)
            throw new IllegalArgumentException(
                    "a factor of a product has one body, not " + factor.bodies().size());
    }

    /** The operands from which the factor is computed. */
    public <T> List<T> encoded(List<T> operands) {
        return operands.subList(1, 1 + factor.operands().size());
    }

    /** The operands that the epilogue reads. */
    public <T> List<T> extras(List<T> operands) {
        return operands.subList(1 + factor.operands().size(), operands.size());
    }
}
