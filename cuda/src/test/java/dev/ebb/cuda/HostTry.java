package dev.ebb.cuda;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.TreeMap;

public final class HostTry {
    public static void main(String[] args) throws Exception {
        var cases = Cases.all();
        if (args.length > 0) cases = cases.stream().filter(c -> (c.form()+" "+c.name()).contains(args[0])).toList();
        System.out.println(cases.size() + " cases");
        var recipes = cases.stream().map(c -> c.kernel() instanceof dev.ebb.ir.Kernel.Contract k ? ContractText.recipe(k, c.inTypes(), c.outTypes().getFirst()) : c.recipe(Precision.F32)).toList();
        Path folder = Path.of("/tmp/hosttry"); Files.createDirectories(folder);
        long t0 = System.nanoTime();
        var runner = new HostRunner(recipes, folder);
        System.out.printf("compiled in %.1f s%n", (System.nanoTime() - t0) / 1e9);
        var worst = new TreeMap<String, Double>();
        for (int i = 0; i < cases.size(); i++) {
            var c = cases.get(i);
            var out = c.outputs();
            long t = System.nanoTime();
            runner.run(recipes.get(i), c.in(), out);
            double e = c.error(out, c.expected());
            worst.merge(c.form(), e, Math::max);
            if (!(e <= c.tolerance())) System.out.println("FAIL " + c.form() + " | " + c.name() + " error " + e);
            if (System.nanoTime() - t > 2e9) System.out.println("slow " + c.name());
        }
        worst.forEach((k, v) -> System.out.println(k + " " + v));
    }
}
