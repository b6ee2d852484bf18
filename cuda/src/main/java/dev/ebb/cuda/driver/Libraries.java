package dev.ebb.cuda.driver;

import dev.ebb.cuda.CudaException;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.SymbolLookup;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Finds the CUDA libraries: in folders named by the user, on the system loader's path, and where
 * drivers, toolkits and Python packages install them. Nothing is bundled.
 *
 * @param named the user's folders, searched first
 * @param environment variables such as {@code CUDA_HOME}
 */
public record Libraries(List<Path> named, Map<String, String> environment) {
    public Libraries {
        named = List.copyOf(named);
        environment = Map.copyOf(environment);
    }

    /** A library, its purpose, and how to install it. */
    public enum Which {
        DRIVER,
        NVRTC,
        BLAS;

        /** The possible names of its file, in order of preference. */
        List<String> names() {
            return switch (this) {
                case DRIVER -> List.of("libcuda.so.1", "libcuda.so");
                case NVRTC -> List.of("libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so");
                case BLAS -> List.of("libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so");
            };
        }

        private String advice() {
            return switch (this) {
                case DRIVER -> "the NVIDIA driver (580 or later)";
                case NVRTC -> "a CUDA toolkit 12 or 13, or 'pip install nvidia-cuda-nvrtc'";
                case BLAS -> "a CUDA toolkit 12 or 13, or 'pip install nvidia-cublas'";
            };
        }
    }

    /** The folders that are searched, in this order. */
    public List<Path> folders() {
        var folders = new ArrayList<>(named);
        for (var variable : List.of("CUDA_HOME", "CUDA_PATH")) {
            var home = environment.get(variable);
            if (home != null && !home.isBlank()) inside(Path.of(home), folders);
        }
        for (var root : List.of(Path.of("/usr/local"), Path.of("/opt"))) {
            newestFirst(root, "cuda*").forEach(home -> inside(home, folders));
        }
        folders.add(Path.of("/usr/local/nvidia/lib64"));
        folders.add(Path.of("/usr/lib/x86_64-linux-gnu"));
        folders.add(Path.of("/usr/lib/aarch64-linux-gnu"));
        folders.add(Path.of("/usr/lib64"));
        for (var site : sites()) {
            for (var part : newestFirst(site.resolve("nvidia"), "*"))
                folders.add(part.resolve("lib"));
        }
        return folders.stream().distinct().filter(Files::isDirectory).toList();
    }

    private static void inside(Path home, List<Path> folders) {
        folders.add(home.resolve("lib64"));
        folders.add(home.resolve("lib"));
        folders.add(home.resolve("targets").resolve("x86_64-linux").resolve("lib"));
    }

    /**
     * The site-packages folders of Python installations that can be found without starting Python.
     */
    private List<Path> sites() {
        var roots = new ArrayList<Path>();
        for (var variable : List.of("VIRTUAL_ENV", "CONDA_PREFIX")) {
            var home = environment.get(variable);
            if (home != null && !home.isBlank()) roots.add(Path.of(home));
        }
        var path = environment.getOrDefault("PATH", "");
        for (var folder : path.split(":", -1)) {
            if (folder.isBlank()) continue;
            var python = Path.of(folder).resolve("python3");
            var bin = Path.of(folder).getParent();
            if (bin != null && Files.exists(python)) roots.add(bin);
        }
        roots.add(Path.of("/usr/local"));
        roots.add(Path.of("/usr"));
        var home = environment.get("HOME");
        if (home != null && !home.isBlank()) roots.add(Path.of(home, ".local"));
        var sites = new ArrayList<Path>();
        for (var root : roots.stream().distinct().toList()) {
            for (var python : newestFirst(root.resolve("lib"), "python3*")) {
                sites.add(python.resolve("site-packages"));
                sites.add(python.resolve("dist-packages"));
            }
        }
        return sites;
    }

    private static List<Path> newestFirst(Path folder, String pattern) {
        if (!Files.isDirectory(folder)) return List.of();
        var found = new ArrayList<Path>();
        try (var entries = Files.newDirectoryStream(folder, pattern)) {
            entries.forEach(found::add);
        } catch (IOException e) {
            return List.of();
        }
        found.sort(Comparator.reverseOrder());
        return found;
    }

    /**
     * Opens a library; if it is missing, the error says in one sentence which names were looked
     * for, where, and what to install.
     */
    public SymbolLookup open(Which which, Arena arena) {
        var refusals = new ArrayList<String>();
        var folders = folders();
        for (var folder : named) {
            var found = inFolder(folder, which, arena, refusals);
            if (found.isPresent()) return found.get();
        }
        for (var name : which.names()) {
            var found = byLoader(name, arena);
            if (found.isPresent()) return found.get();
        }
        for (var folder : folders) {
            var found = inFolder(folder, which, arena, refusals);
            if (found.isPresent()) return found.get();
        }
        throw new CudaException(
                "no "
                        + String.join(" or ", which.names())
                        + " by the system's loader or in "
                        + (folders.isEmpty() ? "any known folder" : folders)
                        + (refusals.isEmpty() ? "" : " (" + String.join("; ", refusals) + ")")
                        + "; install "
                        + which.advice()
                        + ", or name the folder that holds it");
    }

    @SuppressWarnings("restricted") // native code is what this module is for
    private static Optional<SymbolLookup> byLoader(String name, Arena arena) {
        try {
            return Optional.of(SymbolLookup.libraryLookup(name, arena));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    @SuppressWarnings("restricted") // native code is what this module is for
    private static Optional<SymbolLookup> inFolder(
            Path folder, Which which, Arena arena, List<String> refusals) {
        for (var name : which.names()) {
            var file = folder.resolve(name);
            if (!Files.exists(file)) continue;
            try {
                return Optional.of(SymbolLookup.libraryLookup(file, arena));
            } catch (IllegalArgumentException e) {
                refusals.add(file + " is there but cannot be loaded");
            }
        }
        return Optional.empty();
    }
}
