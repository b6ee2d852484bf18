package dev.ebb.spark;

import dev.ebb.nn.parallel.Cut;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import org.apache.spark.sql.Row;

import scala.Tuple2;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/** Where a rank's rows of each batch come from. */
sealed interface Feed extends Serializable {

    /** Where batches come from, as a checkpoint notes it, so far as it can be told. */
    String origin();

    /** A rank's rows of the batch of step {@code from} and of those after it. */
    Iterator<List<Tensor>> rows(Cut cut, int rank, long from, Iterator<Tuple2<Long, Row>> own);

    /**
     * From a function of the step.
     *
     * @param batch how many examples it must give
     */
    record Made(Batches batches, int batch) implements Feed {
        @Override
        public String origin() {
            return "a function of the step";
        }

        @Override
        public Iterator<List<Tensor>> rows(
                Cut cut, int rank, long from, Iterator<Tuple2<Long, Row>> own) {
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
                                "the batches give a tensor of "
                                        + whole.type()
                                        + " where the first axis must count "
                                        + batch
                                        + " examples; say their number by batch(...)");
                    }
                    return cut.rows(whole, rank);
                }
            };
        }
    }

    /** From a partition whose rows come in the order of their places in training. */
    record Table(List<Column> columns, int batch, RowOrder order) implements Feed {
        public Table {
            columns = List.copyOf(columns);
        }

        @Override
        public String origin() {
            return "a table of " + order.rows() + " rows by seed " + order.seed();
        }

        @Override
        public Iterator<List<Tensor>> rows(
                Cut cut, int rank, long from, Iterator<Tuple2<Long, Row>> own) {
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
                        // what was trained on before the checkpoint comes first
                        if (row._1() == place) rows.add(row._2());
                    }
                    step++;
                    return Column.batch(columns, rows);
                }
            };
        }

        private static IllegalStateException missing(long place) {
            return new IllegalStateException(
                    "the row for place "
                            + place
                            + " of training is not there: the table has other rows, or another"
                            + " order, than when it was counted, or its checkpoints are damaged;"
                            + " write it to files, and train on those in a folder of its own");
        }
    }
}
