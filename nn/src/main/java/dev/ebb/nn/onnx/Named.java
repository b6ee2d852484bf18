package dev.ebb.nn.onnx;

import dev.ebb.ir.DType;
import dev.ebb.ir.Shape;

/** A value of a graph that is written. */
record Named(String name, DType dtype, Shape shape) {}
