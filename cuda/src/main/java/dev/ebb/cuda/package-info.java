/** The CUDA device: its libraries, the text of its kernels, and the recipes that launch them. */
@NullMarked
package dev.ebb.cuda;

import org.jspecify.annotations.NullMarked;
