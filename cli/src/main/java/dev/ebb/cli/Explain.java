package dev.ebb.cli;

import picocli.CommandLine.Command;

@Command(name = "explain", mixinStandardHelpOptions = true)
final class Explain implements Runnable {
    @Override
    public void run() {}
}
