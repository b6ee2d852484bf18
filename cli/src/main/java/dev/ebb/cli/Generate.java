package dev.ebb.cli;

import picocli.CommandLine.Command;

@Command(name = "generate", mixinStandardHelpOptions = true)
final class Generate implements Runnable {
    @Override
    public void run() {}
}
