/** Training and inference on Apache Spark, with the same bits on any number of executors. */
@NullMarked
package dev.ebb.spark;

import org.jspecify.annotations.NullMarked;
