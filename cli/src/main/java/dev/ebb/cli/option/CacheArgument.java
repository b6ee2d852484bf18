package dev.ebb.cli.option;

import dev.ebb.plan.cache.PlanCache;

import picocli.CommandLine.Option;

import java.nio.file.Path;
import java.util.Map;

/** The option that leaves the cache of plans out. */
public final class CacheArgument {
    @Option(
            names = "--no-cache",
            description =
                    "Plan anew. Otherwise what was planned before is found in the user's cache"
                            + " folder, which changes no plan.")
    private boolean off;

    /** What was planned before. */
    public PlanCache cache() {
        return off
                ? PlanCache.inMemory()
                : PlanCache.in(folder(System.getenv(), System.getProperty("user.home")));
    }

    /** The folder of plans in the user's cache folder. */
    static Path folder(Map<String, String> environment, String home) {
        var named = environment.getOrDefault("XDG_CACHE_HOME", "");
        var base = named.isBlank() ? Path.of(home, ".cache") : Path.of(named);
        return base.resolve("ebb").resolve("plans");
    }
}
