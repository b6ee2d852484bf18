/** Tensors in files: safetensors, NumPy, JSON, and writing that survives a crash. */
@NullMarked
package dev.ebb.nn.file;

import org.jspecify.annotations.NullMarked;
