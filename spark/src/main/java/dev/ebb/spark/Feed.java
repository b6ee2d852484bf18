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

    /** A rank's rows of the batch of step {@code from} and of those after it. */
    Iterator<List<Tensor>> rows(Cut cut, int rank, long from, Iterator<Tuple2<Long, Row>> own);

    /** From a function of the step. */
    record Made(Batches batches) implements Feed {
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
                    for (var whole : batches.at(step++)) rows.add(cut.rows((Array) whole, rank));
                    return rows;
                }
            };
        }
    }

    /** From a partition whose rows come in the order of their places in training. */
    record Table(List<Column> columns, int batch) implements Feed {
        public Table {
            columns = List.copyOf(columns);
        }

        @Override
        public Iterator<List<Tensor>> rows(
                Cut cut, int rank, long from, Iterator<Tuple2<Long, Row>> own) {
            int each = batch / cut.ranks();
            return new Iterator<>() {
                @Override
                public boolean hasNext() {
                    return own.hasNext();
                }

                @Override
                public List<Tensor> next() {
                    var rows = new ArrayList<Row>(each);
                    while (rows.size() < each) {
                        var row = own.next();
                        if (row._1() / batch >= from) rows.add(row._2());
                    }
                    return Column.batch(columns, rows);
                }
            };
        }
    }
}
