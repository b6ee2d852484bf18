/** The {@code ebb} command. */
module dev.ebb.cli {
    requires dev.ebb;
    requires dev.ebb.cpu;
    requires dev.ebb.nn;
    requires jdk.httpserver;
    requires info.picocli;
    requires me.tongfei.progressbar;
    requires static org.jspecify;

    opens dev.ebb.cli to
            dev.ebb,
            info.picocli;
    opens dev.ebb.cli.option to
            info.picocli;
    opens dev.ebb.cli.tune to
            dev.ebb,
            info.picocli;
}
