package dev.ebb.cli.option;

import dev.ebb.plan.cache.PlanCache;

import picocli.CommandLine.Option;

import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/** The option that disables the cache of plans. */
public final class CacheArgument {
    @Option(
            names = "--no-cache",
            description =
                    "Do not read or write the plan cache in the user's cache folder. The cache"
                            + " makes planning faster and changes no plan.")
    private boolean off;

    /**
     * The cache of plans: those of this user, and those made at build time, in a folder that the
     * launcher passes.
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
