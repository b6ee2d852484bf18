/** The slow device that defines what every kernel means. Other devices are compared with it. */
@NullMarked
package dev.ebb.exec.reference;

import org.jspecify.annotations.NullMarked;
