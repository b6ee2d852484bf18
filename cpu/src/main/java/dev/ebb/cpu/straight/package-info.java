/** Programs of few elements as one method: bytecode without loops, with values in locals. */
@NullMarked
package dev.ebb.cpu.straight;

import org.jspecify.annotations.NullMarked;
