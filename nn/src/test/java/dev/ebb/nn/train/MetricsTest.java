package dev.ebb.nn.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

import java.util.List;

/** Metrics against values worked out by hand. */
class MetricsTest {
    /** Three classes, six rows; predicted: 0 1 2 2 0 1, targets: 0 1 2 1 2 1. */
    private static final List<Predictions> CLASSES =
            List.of(
                    new Predictions(
                            new float[] {3, 1, 2, 0, 5, 1, 1, 2, 4},
                            3,
                            new double[] {0, 1, 2},
                            new float[] {0.1f, 0.2f, 0.3f}),
                    new Predictions(
                            new float[] {1, 2, 3, 3, 1, 2, 0, 2, 1},
                            3,
                            new double[] {1, 2, 1},
                            new float[] {0.4f, 0.5f, 0.6f}));

    private static double of(Metric metric, List<Predictions> all) {
        var tally = metric.start();
        all.forEach(tally::add);
        return tally.value();
    }

    @Test
    void accuracyAndTopK() {
        assertThat(of(Metric.accuracy(), CLASSES)).isEqualTo(4 / 6.0);
        // the fourth row's class is second, the fifth's too
        assertThat(of(Metric.topK(1), CLASSES)).isEqualTo(4 / 6.0);
        assertThat(of(Metric.topK(2), CLASSES)).isEqualTo(1);
        assertThat(Metric.topK(5).name()).isEqualTo("top5");
        // of even outputs the first class comes first
        var even = new Predictions(new float[] {1, 1, 1}, 3, new double[] {1}, new float[] {0});
        assertThat(of(Metric.topK(1), List.of(even))).isEqualTo(0);
        assertThat(of(Metric.topK(2), List.of(even))).isEqualTo(1);
    }

    @Test
    void theMatrixAndWhatIsReadFromIt() {
        var matrix = new ConfusionMatrix();
        CLASSES.forEach(matrix::add);
        assertThat(matrix).hasToString("[1, 0, 0]\n[0, 2, 1]\n[1, 0, 1]\n");
        assertThat(matrix.precision(0)).isEqualTo(0.5);
        assertThat(matrix.recall(0)).isEqualTo(1);
        assertThat(matrix.f1(0)).isCloseTo(2 / 3.0, within(1e-15));
        assertThat(matrix.f1(1)).isCloseTo(0.8, within(1e-15));
        assertThat(matrix.f1(2)).isEqualTo(0.5);
        assertThat(of(Metric.f1(), CLASSES)).isCloseTo((2 / 3.0 + 0.8 + 0.5) / 3, within(1e-15));
    }

    /** One output a row. Of 3 x 2 pairs 4 are right, 1 is even: 0.75. */
    private static final Predictions BINARY =
            new Predictions(
                    new float[] {0.9f, -0.5f, 0.25f, 0.25f, -2},
                    1,
                    new double[] {1, 1, 1, 0, 0},
                    new float[5]);

    @Test
    void oneOutputOfTwoClasses() {
        assertThat(of(Metric.auc(), List.of(BINARY))).isEqualTo(0.75);
        // true positives 2, false positives 1, false negatives 1
        assertThat(of(Metric.f1(), List.of(BINARY))).isCloseTo(2 / 3.0, within(1e-15));
        assertThat(of(Metric.accuracy(), List.of(BINARY))).isEqualTo(0.6);
        var two =
                new Predictions(
                        new float[] {0, 0.9f, 0, -0.5f, 1, 1.25f, 0, 0.25f, 2, 0},
                        2,
                        new double[] {1, 1, 1, 0, 0},
                        new float[5]);
        assertThat(of(Metric.auc(), List.of(two))).isEqualTo(0.75);
        assertThatThrownBy(() -> of(Metric.auc(), CLASSES)).hasMessageContaining("not of 3");
    }

    @Test
    void perplexityIsOfAllRows() {
        assertThat(of(Metric.perplexity(), CLASSES)).isCloseTo(Math.exp(0.35), within(1e-6));
    }

    @Test
    void whatDoesNotMatchIsRefused() {
        assertThatThrownBy(() -> new Predictions(new float[5], 3, new double[2], new float[2]))
                .hasMessageContaining("5 outputs for 2 targets");
        var wrong = new Predictions(new float[3], 3, new double[] {3}, new float[1]);
        assertThatThrownBy(() -> new ConfusionMatrix().add(wrong))
                .hasMessageContaining("target 3 where there are 3 classes");
    }
}
