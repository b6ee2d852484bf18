package dev.ebb.cli;

import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

import java.nio.file.Path;
import java.util.Optional;

/** What the command line says, apart from what options are by default. */
record Given(ParseResult parsed) {

    boolean has(String option) {
        return parsed.hasMatchedOption(option);
    }

    private Optional<OptionSpec> matched(String option) {
        return has(option) ? Optional.ofNullable(parsed.matchedOption(option)) : Optional.empty();
    }

    /** An option's value as it was typed. */
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
