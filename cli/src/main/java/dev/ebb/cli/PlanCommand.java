package dev.ebb.cli;

import picocli.CommandLine.Command;

@Command(name = "plan", mixinStandardHelpOptions = true)
final class PlanCommand implements Runnable {
    @Override
    public void run() {}
}
