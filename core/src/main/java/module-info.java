/** Reverse-mode automatic differentiation in a memory budget. */
module dev.ebb {
    requires static org.jspecify;
}
