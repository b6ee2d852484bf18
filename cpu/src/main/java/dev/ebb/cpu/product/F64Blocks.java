package dev.ebb.cpu.product;

import jdk.incubator.vector.DoubleVector;
import jdk.incubator.vector.VectorSpecies;

/** The innermost products in F64. */
final class F64Blocks {
    static final VectorSpecies<Double> SPECIES = DoubleVector.SPECIES_PREFERRED;
    static final int LANES = 2 * SPECIES.length();

    /**
     * Rows of a block. More rows were slower on the processors measured, also with 512-bit vectors.
     */
    static final int HEIGHT = 4;

    /** A constant, so that C2 knows its class. */
    static final Blocks<double[]> BLOCKS = BlockClass.generate(SPECIES, HEIGHT);

    private F64Blocks() {}
}
