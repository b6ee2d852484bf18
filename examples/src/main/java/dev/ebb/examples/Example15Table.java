package dev.ebb.examples;

import dev.ebb.nn.Linear;
import dev.ebb.nn.Seed;
import dev.ebb.nn.data.Csv;
import dev.ebb.nn.data.Dataset;
import dev.ebb.nn.optim.AdamW;
import dev.ebb.nn.train.Loss;
import dev.ebb.nn.train.Metric;
import dev.ebb.nn.train.Network;
import dev.ebb.nn.train.Trainer;
import dev.ebb.nn.train.TrainingResult;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Logistic regression from a table. */
public final class Example15Table {
    private Example15Table() {}

    // [table
    static TrainingResult<Linear, Network.None> train(Path file) throws IOException {
        var table = Csv.read(file);
        var all =
                Dataset.of(
                        table.numbers("length", "width", "weight"),
                        table.classes("kind").numbers());
        var parts = all.split(0.25, new Seed(1));
        return Trainer.of(Linear.of(3, 1, new Seed(2)), Loss.binaryCrossEntropy())
                .on(parts.train(), 16)
                .validating(parts.validation(), Metric.accuracy(), Metric.auc(), Metric.f1())
                .optimizer(AdamW.of(0.05))
                .epochs(30)
                .stoppingEarly("loss", 3)
                .train();
    }

    // table]

    public static void main(String[] args) throws IOException {
        var file = Files.createTempFile("fish", ".csv");
        Fish.write(file, 400);
        System.out.println(train(file).history().getLast());
        Files.delete(file);
    }
}
