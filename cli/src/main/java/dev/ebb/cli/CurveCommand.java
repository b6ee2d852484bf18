package dev.ebb.cli;

import picocli.CommandLine.Command;

@Command(name = "curve", mixinStandardHelpOptions = true)
final class CurveCommand implements Runnable {
    @Override
    public void run() {}
}
