package dev.ebb.cli.option;

import dev.ebb.plan.cache.PlanCache;

import picocli.CommandLine.Option;

import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/** The option that leaves the cache of plans out. */
public final class CacheArgument {
    @Option(
            names = "--no-cache",
            description =
                    "Do not read or write the plan cache in the user's cache folder. The cache"
                            + " makes planning faster and changes no plan.")
    private boolean off;

    /**
     * What was planned before: by this user, or when the program was built, in a folder that the
     * launcher names.
     */
    public PlanCache cache() {
        if (off) return PlanCache.inMemory();
        var own = PlanCache.in(folder(System.getenv(), System.getProperty("user.home")));
        return Optional.ofNullable(System.getProperty("ebb.plans"))
                .map(built -> own.reading(Path.of(built)))
                .orElse(own);
    }

    /** The folder of plans in the user's cache folder. */
    static Path folder(Map<String, String> environment, String home) {
        var named = environment.getOrDefault("XDG_CACHE_HOME", "");
        var base = named.isBlank() ? Path.of(home, ".cache") : Path.of(named);
        return base.resolve("ebb").resolve("plans");
    }
}
