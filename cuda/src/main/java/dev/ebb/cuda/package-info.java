/** The CUDA device and its queue. */
@NullMarked
package dev.ebb.cuda;

import org.jspecify.annotations.NullMarked;
