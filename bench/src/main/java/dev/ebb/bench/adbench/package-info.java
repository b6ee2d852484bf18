/**
 * The problems of ADBench (Srajer, Kukelova and Fitzgibbon, "A benchmark of selected algorithmic
 * differentiation tools on some problems in computer vision and machine learning", 2018), each
 * against the same derivative written by hand in Java. Data are drawn at random in ADBench's sizes.
 */
@org.jspecify.annotations.NullMarked
package dev.ebb.bench.adbench;
