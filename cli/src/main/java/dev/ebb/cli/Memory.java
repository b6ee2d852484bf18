package dev.ebb.cli;

import picocli.CommandLine.Command;

@Command(name = "memory", mixinStandardHelpOptions = true)
final class Memory implements Runnable {
    @Override
    public void run() {}
}
