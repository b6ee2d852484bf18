/**
 * Regions of independent rows as loops over tiles: which axis a node can be cut along, which nodes
 * make a region, and the loop that computes it tile by tile.
 */
@NullMarked
package dev.ebb.pass.tiling;

import org.jspecify.annotations.NullMarked;
