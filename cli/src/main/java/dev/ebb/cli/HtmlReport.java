package dev.ebb.cli;
import java.nio.file.Path;
final class HtmlReport { static void write(Path p, Outcome o, Trainer t, Planned pl, double e) {} }
