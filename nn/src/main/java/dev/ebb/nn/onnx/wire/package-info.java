/** The bytes of a model's file and of those beside it: protobuf's fields, and tensors elsewhere. */
@NullMarked
package dev.ebb.nn.onnx.wire;

import org.jspecify.annotations.NullMarked;
