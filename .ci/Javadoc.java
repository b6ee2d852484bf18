import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.spi.ToolProvider;

/**
 * One set of pages for all modules that are published. A warning fails it, but for the one that the
 * Vector API is incubating, which javadoc cannot be told to leave out.
 */
final class Javadoc {
    private static final List<String> MODULES =
            List.of("dev.ebb=core", "dev.ebb.cpu=cpu", "dev.ebb.cuda=cuda", "dev.ebb.nn=nn");

    private Javadoc() {}

    /** {@code args}: the project, the checks of comments, the module path, the folder of pages. */
    static void main(String[] args) throws IOException {
        var arguments = new ArrayList<String>();
        arguments.addAll(List.of("-quiet", "-notimestamp", "-Xdoclint:" + args[1]));
        arguments.addAll(List.of("--add-modules", "jdk.incubator.vector"));
        arguments.addAll(List.of("--module-path", args[2], "-d", args[3]));
        arguments.addAll(List.of("-windowtitle", "Ebb", "-doctitle", "Ebb"));
        var names = new ArrayList<String>();
        for (var module : MODULES) {
            var parts = module.split("=");
            names.add(parts[0]);
            var source = Path.of(args[0], parts[1], "src", "main", "java");
            arguments.addAll(List.of("--module-source-path", parts[0] + "=" + source));
        }
        arguments.addAll(List.of("--module", String.join(",", names)));
        var told = new StringWriter();
        int failure =
                ToolProvider.findFirst("javadoc")
                        .orElseThrow()
                        .run(
                                new PrintWriter(told, true),
                                new PrintWriter(told, true),
                                arguments.toArray(String[]::new));
        var rest =
                told.toString()
                        .lines()
                        .filter(line -> !line.contains("[incubating]"))
                        .filter(line -> !line.matches("\\d+ warnings?"))
                        .toList();
        rest.forEach(System.err::println);
        if (failure != 0 || !rest.isEmpty()) System.exit(1);
    }
}
