package dev.ebb.spark;

import static org.assertj.core.api.Assertions.assertThat;

import com.codahale.metrics.Gauge;

import org.apache.spark.scheduler.AccumulableInfo;
import org.apache.spark.scheduler.SparkListenerExecutorMetricsUpdate;
import org.apache.spark.scheduler.SparkListenerTaskStart;
import org.apache.spark.scheduler.TaskInfo;
import org.apache.spark.scheduler.TaskLocality;
import org.apache.spark.util.AccumulatorV2;
import org.junit.jupiter.api.Test;

import scala.Option;
import scala.Tuple4;
import scala.jdk.javaapi.CollectionConverters;

import java.util.ArrayList;
import java.util.List;

/** The driver's progress from heartbeats, which the test makes itself. */
class RunProgressTest {

    private static SparkListenerTaskStart started(long task, int rank) {
        return new SparkListenerTaskStart(
                5, 0, new TaskInfo(task, rank, 0, rank, 0, "1", "host", TaskLocality.ANY(), false));
    }

    private static AccumulableInfo info(AccumulatorV2<?, ?> of, Object value) {
        return new AccumulableInfo(
                of.id(),
                Option.empty(),
                Option.apply(value),
                Option.empty(),
                false,
                false,
                Option.empty());
    }

    private static SparkListenerExecutorMetricsUpdate beat(long task, AccumulableInfo... infos) {
        return new SparkListenerExecutorMetricsUpdate(
                "1",
                CollectionConverters.asScala(
                                List.of(
                                        new Tuple4<
                                                Object,
                                                Object,
                                                Object,
                                                scala.collection.immutable.Seq<AccumulableInfo>>(
                                                task,
                                                5,
                                                0,
                                                CollectionConverters.asScala(List.of(infos))
                                                        .toList())))
                        .toList(),
                scala.collection.immutable.Map$.MODULE$.empty());
    }

    @Test
    void every_rank_s_step_and_memory_is_told_and_a_metric() {
        var tally = ProgressAccumulators.of(Local.session().sparkContext());
        var lines = new ArrayList<String>();
        var progress = new RunProgress(tally, 2, 100, lines::add);
        progress.onTaskStart(started(70, 0));
        progress.onTaskStart(started(71, 1));
        progress.onExecutorMetricsUpdate(
                beat(
                        70,
                        info(tally.steps(), 7L),
                        info(tally.loss(), 2.5),
                        info(tally.promised(), 2000L),
                        info(tally.measured(), 1000L)));
        assertThat(lines).as("rank 1 has not made a step").isEmpty();
        progress.onExecutorMetricsUpdate(beat(99, info(tally.steps(), 1L)));
        progress.onExecutorMetricsUpdate(
                beat(71, info(tally.steps(), 6L), info(tally.measured(), 1500L)));
        assertThat(lines)
                .containsExactly(
                        "step 6 of 100, loss 2.5000; rank 0: 1,000 bytes of 2,000;"
                                + " rank 1: 1,500 bytes of 0");
        var gauges = progress.metricRegistry().getGauges();
        assertThat(value(gauges.get("rank.0.step"))).isEqualTo(7L);
        assertThat(value(gauges.get("rank.1.measuredBytes"))).isEqualTo(1500L);
        assertThat(value(gauges.get("loss"))).isEqualTo(2.5);
    }

    private static Object value(Gauge<?> gauge) {
        return gauge.getValue();
    }
}
