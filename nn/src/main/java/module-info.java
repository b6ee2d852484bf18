/** Layers, losses, optimizers, data, files of models, text generation and the trainer. */
module dev.ebb.nn {
    requires transitive dev.ebb;
    requires static java.desktop;
    requires static org.jspecify;

    exports dev.ebb.nn;
    exports dev.ebb.nn.adapt;
    exports dev.ebb.nn.data;
    exports dev.ebb.nn.file;
    exports dev.ebb.nn.generate;
    exports dev.ebb.nn.model;
    exports dev.ebb.nn.onnx;
    exports dev.ebb.nn.optim;
    exports dev.ebb.nn.train;
    exports dev.ebb.nn.tokens;
    exports dev.ebb.nn.parallel;

    // the tracer reads and creates records that are parts of programs
    opens dev.ebb.nn to
            dev.ebb;
    opens dev.ebb.nn.adapt to
            dev.ebb;
    opens dev.ebb.nn.generate to
            dev.ebb;
    opens dev.ebb.nn.model to
            dev.ebb;
    opens dev.ebb.nn.optim to
            dev.ebb;
    opens dev.ebb.nn.parallel to
            dev.ebb;
    opens dev.ebb.nn.train to
            dev.ebb;
}
