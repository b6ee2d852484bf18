/**
 * Values computed by PyTorch, and the tests that hold a device to them. Other modules run the same
 * tests on their own device.
 */
@NullMarked
package dev.ebb.reference;

import org.jspecify.annotations.NullMarked;
