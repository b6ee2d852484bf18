/** Reads, runs, trains and exports ONNX models. */
@NullMarked
package dev.ebb.nn.onnx;

import org.jspecify.annotations.NullMarked;
