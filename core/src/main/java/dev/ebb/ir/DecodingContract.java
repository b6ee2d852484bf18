package dev.ebb.ir;

import java.util.List;

/**
 * A product whose right factor is computed while it is multiplied and is never stored. The factor
 * is the output of {@code factor}, a map with one body, and {@code product} reads it by its view
 * {@code b}. So a matrix that is stored in few bits is widened during the product. Operands are
 * {@code a}, those of the factor, and the extras of the product.
 */
public record DecodingContract(Kernel.Map factor, Kernel.Contract product) implements Kernel {
    public DecodingContract {
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
