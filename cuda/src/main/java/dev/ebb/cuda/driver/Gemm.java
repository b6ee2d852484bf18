package dev.ebb.cuda.driver;

import dev.ebb.ir.DType;

/**
 * A batched matrix product for the library, row-major: {@code c[b, i, j] = sum_k a[b, i, k] * b[b,
 * k, j]}.
 *
 * @param type of the factors
 * @param result the type of the products
 * @param tensorFloats whether f32 factors are rounded to tf32
 * @param bias whether a vector of {@code n} elements of the result's type is added to every row
 * @param rowsA whether rows of {@code a} are contiguous, else columns are; {@code rowsB} likewise
 * @param leadA elements from one row (or column) to the next
 * @param stepA elements from one matrix of the batch to the next
 */
public record Gemm(
        DType type,
        DType result,
        boolean tensorFloats,
        boolean bias,
        int batch,
        int m,
        int n,
        int k,
        boolean rowsA,
        long leadA,
        long stepA,
        long offsetA,
        boolean rowsB,
        long leadB,
        long stepB,
        long offsetB) {}
