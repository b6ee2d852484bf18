/** Tensors in files: safetensors, NumPy, JSON, and atomic writing. */
@NullMarked
package dev.ebb.nn.file;

import org.jspecify.annotations.NullMarked;
