package dev.ebb.cuda;

import dev.ebb.cuda.recipe.Action;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The kernels of a GPU. Each source text is compiled once: several texts form a unit, units are
 * compiled in parallel, and the machine code is cached on disk.
 */
public final class Kernels {
    private static final int PLAIN_SHARED = 48 << 10;

    /**
     * The fewest texts of a unit if there are enough of them, because each unit compiles the
     * prelude again.
     */
    private static final int TOGETHER = 4;

    /** Compiles a source text to machine code. */
    interface Compiler {
        byte[] compile(String name, String text);
    }

    /** Loads machine code and finds functions in it. */
    public interface Loader {
        long module(MemorySegment code);

        long function(long module, String name);

        void allowShared(long function, int bytes);
    }

    private final Compiler compiler;
    private final Loader loader;
    private final CodeCache cache;
    private final String kind;
    private final Map<String, Long> functions = new HashMap<>();
    private final Map<String, Long> modules = new HashMap<>();
    private long compileNanos;

    /**
     * @param kind everything besides the text on which the machine code depends
     */
    Kernels(Compiler compiler, Loader loader, Path cache, List<String> kind) {
        this.compiler = compiler;
        this.loader = loader;
        this.cache = new CodeCache(cache);
        this.kind = CodeCache.digest(Prelude.TEXT + "\n" + String.join("\n", kind));
    }

    /** The seconds spent on compiling and on reading cached code. */
    synchronized double compileSeconds() {
        return compileNanos / 1e9;
    }

    synchronized int count() {
        return functions.size();
    }

    private String key(Action.Launch l) {
        return CodeCache.digest(kind + l.text());
    }

    private static String entry(Action.Launch l, String key) {
        return l.name() + "_" + key.substring(0, 16);
    }

    long function(Action.Launch l) {
        compile(List.of(l));
        synchronized (this) {
            return Objects.requireNonNull(functions.get(l.text()));
        }
    }

    /** Threads may compile in parallel; a text that two of them need at once is compiled twice. */
    void compile(Collection<Action.Launch> launches) {
        long start = System.nanoTime();
        var missing = missing(launches);
        if (missing.isEmpty()) return;
        var made = make(missing);
        synchronized (this) {
            for (var unit : made) {
                if (!modules.containsKey(unit.name())) load(unit.name(), unit.code());
                for (var key : unit.keys())
                    known(Objects.requireNonNull(missing.get(key)), key, unit.name());
            }
            compileNanos += System.nanoTime() - start;
        }
        for (var unit : made) cache.put(unit.name(), unit.code(), unit.keys());
    }

    /** The kernels that are neither loaded nor in the cache, by their keys. */
    private synchronized Map<String, Action.Launch> missing(Collection<Action.Launch> launches) {
        var unknown = launches.stream().filter(l -> !functions.containsKey(l.text())).toList();
        var keys = unknown.parallelStream().map(this::key).toList();
        var units = keys.parallelStream().map(cache::unitOf).toList();
        units.stream()
                .flatMap(Optional::stream)
                .distinct()
                .filter(u -> !modules.containsKey(u))
                .toList()
                .parallelStream()
                .map(u -> new Read(u, cache.code(u)))
                .toList()
                .forEach(r -> r.code().ifPresent(c -> load(r.unit(), c)));
        var missing = new LinkedHashMap<String, Action.Launch>();
        for (int i = 0; i < unknown.size(); i++) {
            var unit = units.get(i).filter(modules::containsKey);
            if (unit.isEmpty()) missing.put(keys.get(i), unknown.get(i));
            else known(unknown.get(i), keys.get(i), unit.get());
        }
        return missing;
    }

    /** A unit of the cache, with its code if that is intact. */
    private record Read(String unit, Optional<byte[]> code) {}

    private void load(String unit, byte[] code) {
        var segment = Arena.ofAuto().allocateFrom(ValueLayout.JAVA_BYTE, code);
        modules.put(unit, loader.module(segment));
    }

    private void known(Action.Launch l, String key, String unit) {
        long function = loader.function(Objects.requireNonNull(modules.get(unit)), entry(l, key));
        if (l.sharedBytes() > PLAIN_SHARED) loader.allowShared(function, l.sharedBytes());
        functions.put(l.text(), function);
    }

    /** The texts of one unit by their keys, and the compiled code. */
    private record Unit(String name, List<String> keys, byte[] code) {}

    private List<Unit> make(Map<String, Action.Launch> missing) {
        var keys = new ArrayList<>(missing.keySet());
        int threads = Runtime.getRuntime().availableProcessors();
        int units = Math.clamp(keys.size() / TOGETHER, 1, threads);
        var tasks = new ArrayList<Callable<Unit>>();
        for (int u = 0; u < units; u++) {
            var own = new ArrayList<String>();
            for (int i = u; i < keys.size(); i += units) own.add(keys.get(i));
            tasks.add(() -> compile(own, missing));
        }
        return all(tasks, threads);
    }

    private static List<Unit> all(List<Callable<Unit>> tasks, int threads) {
        var made = new ArrayList<Unit>();
        try (var pool = Executors.newFixedThreadPool(Math.min(threads, tasks.size()))) {
            for (var future : pool.invokeAll(tasks)) made.add(future.get());
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException cause) throw cause;
            throw new CudaException("kernels could not be compiled", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CudaException("interrupted while compiling kernels", e);
        }
        return made;
    }

    private Unit compile(List<String> keys, Map<String, Action.Launch> launches) {
        var text = new StringBuilder();
        for (var key : keys) {
            var l = Objects.requireNonNull(launches.get(key));
            text.append("\nnamespace k").append(key, 0, 16).append(" {\n");
            text.append(renamed(l, entry(l, key))).append("}\n");
        }
        var name = CodeCache.digest(kind + text);
        try {
            var code = compiler.compile("unit", Prelude.of(text) + text);
            return new Unit(name, keys, code);
        } catch (CudaException e) {
            // compiled one by one, so that the error names the kernel at fault
            for (var key : keys) {
                var l = Objects.requireNonNull(launches.get(key));
                compiler.compile(l.name(), Prelude.of(l.text()) + l.text());
            }
            throw e;
        }
    }

    /** The text with another name for its entry point: names must differ within a unit. */
    static String renamed(Action.Launch l, String name) {
        var entry =
                Pattern.compile(
                        "(extern \"C\" __global__ void __launch_bounds__\\(\\d+(?:, \\d+)?\\)) "
                                + Pattern.quote(l.name())
                                + "\\(");
        var found = entry.matcher(l.text());
        if (!found.find()) {
            throw new IllegalStateException("no entry " + l.name() + " in\n" + l.text());
        }
        return found.replaceFirst(Matcher.quoteReplacement(found.group(1) + " " + name + "("));
    }
}
