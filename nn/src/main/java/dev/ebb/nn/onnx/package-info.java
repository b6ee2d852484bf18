/** ONNX models: read, run and trained. */
@NullMarked
package dev.ebb.nn.onnx;

import org.jspecify.annotations.NullMarked;
