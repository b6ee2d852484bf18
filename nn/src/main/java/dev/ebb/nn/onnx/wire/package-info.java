/** The ONNX file format: protobuf fields, and tensors in other files. */
@NullMarked
package dev.ebb.nn.onnx.wire;

import org.jspecify.annotations.NullMarked;
