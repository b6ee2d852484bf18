package dev.ebb.cli;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;

import java.lang.module.ModuleDescriptor;
import java.util.Optional;

/** The way in from the shell. */
@Command(
        name = "ebb",
        description = "Gradients in the memory you name.",
        mixinStandardHelpOptions = true,
        versionProvider = Main.Version.class)
final class Main implements Runnable {
    Main() {}

    public static void main(String[] args) {
        System.exit(new CommandLine(new Main()).execute(args));
    }

    @Override
    public void run() {
        CommandLine.usage(this, System.out);
    }

    /** The version this module was built as. */
    static final class Version implements IVersionProvider {
        @Override
        public String[] getVersion() {
            var version =
                    Optional.ofNullable(Main.class.getModule().getDescriptor())
                            .flatMap(ModuleDescriptor::rawVersion);
            return new String[] {"ebb " + version.orElse("(unpackaged)")};
        }
    }
}
