/** Writes recorded graphs as nodes of an ONNX model, one writer for each kind of kernel forms. */
@NullMarked
package dev.ebb.nn.onnx.export;

import org.jspecify.annotations.NullMarked;
