/** Attention and its gradient as CUDA C++: by warps, and on tensor cores. */
@NullMarked
package dev.ebb.cuda.text.attend;

import org.jspecify.annotations.NullMarked;
