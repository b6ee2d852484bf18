package dev.ebb.bench.adbench;

import java.nio.file.Path;
import java.util.List;

/** The source of the data of ADBench's problems: random numbers, or ADBench's own files. */
interface Inputs {
    Gmm.Data mixture(int points, int dimensions, int clusters);

    Bundle.Data scene(int cameras, int points, int observations);

    Lstm.Data sequence(int layers, int characters);

    Hand.Data hand(int vertices, int points, boolean complicated);

    /** Random data of the published shapes. */
    record Made() implements Inputs {
        /** The numbers per character of a sequence. */
        private static final int WIDTH = 14;

        @Override
        public Gmm.Data mixture(int points, int dimensions, int clusters) {
            return Gmm.Data.random(points, dimensions, clusters);
        }

        @Override
        public Bundle.Data scene(int cameras, int points, int observations) {
            return Bundle.Data.random(cameras, points, observations);
        }

        @Override
        public Lstm.Data sequence(int layers, int characters) {
            return Lstm.Data.random(layers, WIDTH, characters);
        }

        @Override
        public Hand.Data hand(int vertices, int points, boolean complicated) {
            return Hand.Data.random(vertices, points);
        }
    }

    /**
     * The arguments of a benchmark: the inputs, by {@code data=FOLDER}, and the names of problems.
     */
    record Arguments(Inputs inputs, List<String> names) {
        private static final String DATA = "data=";

        static Arguments of(String[] words, String... all) {
            Inputs inputs = new Made();
            for (var word : words)
                if (word.startsWith(DATA))
                    inputs = new FileInputs(Path.of(word.substring(DATA.length())));
            var names = List.of(words).stream().filter(w -> !w.startsWith(DATA)).toList();
            return new Arguments(inputs, names.isEmpty() ? List.of(all) : names);
        }
    }
}
