package dev.ebb.cli;

import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

import java.nio.file.Path;
import java.util.Optional;

/** The options given on the command line, without those that have their default values. */
record ExplicitOptions(ParseResult parsed) {

    boolean has(String option) {
        return parsed.hasMatchedOption(option);
    }

    private Optional<OptionSpec> matched(String option) {
        return has(option) ? Optional.ofNullable(parsed.matchedOption(option)) : Optional.empty();
    }

    /** The value of an option as the user typed it. */
    Optional<String> text(String option) {
        return matched(option).map(o -> o.originalStringValues().getLast());
    }

    Optional<Long> whole(String option) {
        return matched(option).map(o -> ((Number) o.getValue()).longValue());
    }

    Optional<String> path(String option) {
        return text(option).map(p -> Resumption.kept(Path.of(p)));
    }
}
