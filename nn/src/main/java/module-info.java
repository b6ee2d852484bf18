/** Layers, losses, optimizers and data. */
module dev.ebb.nn {
    requires transitive dev.ebb;
    requires static org.jspecify;

    exports dev.ebb.nn.file;
}
