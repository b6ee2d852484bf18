package dev.ebb.spark;

import dev.ebb.nn.parallel.Partition;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import org.apache.spark.sql.Row;

import scala.Tuple2;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/** The source of a rank's rows of each batch: a function of the step, or a table. */
sealed interface BatchSource extends Serializable {

    /** A description of the source for the checkpoint, as far as it is known. */
    String origin();

    /** The rank's rows of the batch of step {@code from} and of all later steps. */
    Iterator<List<Tensor>> rows(
            Partition cut, int rank, long from, Iterator<Tuple2<Long, Row>> own);

    /**
     * Batches from a function of the step.
     *
     * @param batch the number of examples that it must return
     */
    record Made(Batches batches, int batch) implements BatchSource {
        @Override
        public String origin() {
            return "a function of the step";
        }

        @Override
        public Iterator<List<Tensor>> rows(
                Partition cut, int rank, long from, Iterator<Tuple2<Long, Row>> own) {
            return new Iterator<>() {
                private long step = from;

                @Override
                public boolean hasNext() {
                    return true;
                }

                @Override
                public List<Tensor> next() {
                    var rows = new ArrayList<Tensor>();
                    for (var whole : batches.at(step++)) rows.add(rows((Array) whole));
                    return rows;
                }

                private Tensor rows(Array whole) {
                    if (whole.shape().rank() == 0 || whole.shape().dim(0) != batch) {
                        throw new IllegalArgumentException(
                                ("the batches give a tensor of %s where the first axis must count"
                                                + " %s examples; say their number by batch(...)")
                                        .formatted(whole.type(), batch));
                    }
                    return cut.rows(whole, rank);
                }
            };
        }
    }

    /** Batches from a partition whose rows are sorted by their position in training. */
    record Table(List<Column> columns, int batch, RowOrder order) implements BatchSource {
        public Table {
            columns = List.copyOf(columns);
        }

        @Override
        public String origin() {
            return "a table of " + order.rows() + " rows by seed " + order.seed();
        }

        @Override
        public Iterator<List<Tensor>> rows(
                Partition cut, int rank, long from, Iterator<Tuple2<Long, Row>> own) {
            int each = batch / cut.ranks();
            return new Iterator<>() {
                private long step = from;

                @Override
                public boolean hasNext() {
                    return own.hasNext();
                }

                @Override
                public List<Tensor> next() {
                    var rows = new ArrayList<Row>(each);
                    while (rows.size() < each) {
                        long place = step * batch + (long) rank * each + rows.size();
                        var row = own.hasNext() ? own.next() : null;
                        if (row == null || row._1() > place) throw missing(place);
                        // rows trained on before the checkpoint come first and are skipped
                        if (row._1() == place) rows.add(row._2());
                    }
                    step++;
                    return Column.batch(columns, rows);
                }
            };
        }

        private static IllegalStateException missing(long place) {
            return new IllegalStateException(
                    ("the row for place %s of training is not there: the table has other rows, or"
                         + " another order, than when it was counted, or its checkpoints are"
                         + " damaged; write it to files, and train on those in a folder of its own")
                            .formatted(place));
        }
    }
}
