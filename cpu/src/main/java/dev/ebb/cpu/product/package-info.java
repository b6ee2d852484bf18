/**
 * Matrix products and convolutions: packed panels, blocks that stay in registers, and epilogues.
 */
@NullMarked
package dev.ebb.cpu.product;

import org.jspecify.annotations.NullMarked;
