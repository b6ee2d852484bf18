package dev.ebb.spark;

import dev.ebb.nn.parallel.ScalingModel;

import java.util.Locale;

/** The predictions of {@link ScalingModel} for clusters of up to 1,024 executors. */
final class ScalingTable {
    /** GPT-2 of 124 million parameters in f32, and 1,024 shards of 1,024 tokens. */
    private static final double PARAMETERS = 124e6;

    private static final int SHARDS = 1024;
    private static final double TOKENS = 1024;

    private static final int CORES = 16;

    /**
     * The rate of an executor in floating-point operations per second: 60e9 per core, an
     * assumption.
     */
    private static final double RATE = CORES * 60e9;

    /** Large tensors have one bucket each. */
    private static final int BUCKETS = 60;

    /** Exchanges of a few numbers: for the norm, and for the loss in both directions. */
    private static final int NUMBERS = 3;

    /** The latency of one or two switches between machines. */
    private static final double LATENCY = 30e-6;

    private ScalingTable() {}

    /**
     * @param here the measured connection, whose processor time for messages and bytes is used
     */
    static String text(ScalingModel.Link here) {
        var text = new StringBuilder();
        text.append(
                String.format(
                        Locale.ROOT,
                        "GPT-2 (124 million parameters, f32), %d shards of %.0f tokens, executors"
                                + " of %d cores at %.0f GFLOP/s, %.0f us of latency; %.0f us of"
                                + " processor time a message as measured on loopback.%n",
                        SHARDS,
                        TOKENS,
                        CORES,
                        RATE / 1e9,
                        1e6 * LATENCY,
                        1e6 * here.messageSeconds()));
        for (int gigabits : new int[] {10, 100}) {
            var model = model(here, gigabits);
            text.append(
                    String.format(
                            Locale.ROOT,
                            "%n%d Gb/s: %s%n%n| executors | computed, s | gathered, s | waited for"
                                    + " gradients, s | step, s | efficiency"
                                    + " |%n|---|---|---|---|---|---|%n",
                            gigabits,
                            bound(model.link())));
            int best = 1;
            for (int ranks = 1; ranks <= SHARDS; ranks *= 2) {
                var step = model.step(ranks);
                double efficiency = model.seconds(1) / ranks / step.seconds();
                if (efficiency >= 0.5) best = ranks;
                text.append(
                        String.format(
                                Locale.ROOT,
                                "| %d | %.2f | %.3f | %.3f | %.2f | %.0f %% |%n",
                                ranks,
                                step.compute(),
                                step.gather(),
                                step.waited(),
                                step.seconds(),
                                100 * efficiency));
            }
            text.append(String.format(Locale.ROOT, "%n%s%n", why(model, best)));
        }
        return text.toString();
    }

    /**
     * Whether the network or the processor limits the rate of bytes; a faster network may gain
     * nothing.
     */
    private static String bound(ScalingModel.Link link) {
        double wire = 1e9 / link.bytesPerSecond();
        double processor = 1e9 * link.byteSeconds();
        return String.format(
                Locale.ROOT,
                "a byte takes %.2f ns on the wire and %.2f ns of a processor, so the %s counts.",
                wire,
                processor,
                wire >= processor ? "wire" : "processor");
    }

    private static ScalingModel model(ScalingModel.Link here, int gigabits) {
        double shard = 6 * PARAMETERS * TOKENS / RATE;
        double update = PARAMETERS * 28 / 20e9;
        return new ScalingModel(
                new ScalingModel.Work(
                        shard, update, 2.0 / 3, SHARDS, 4 * PARAMETERS, BUCKETS, NUMBERS, CORES),
                new ScalingModel.Link(
                        gigabits * 1e9 / 8, LATENCY, here.messageSeconds(), here.byteSeconds()),
                1,
                1);
    }

    /** The part of a step because of which twice the executors do not halve its time. */
    private static String why(ScalingModel model, int best) {
        int next = Math.min(SHARDS, 2 * best);
        var work = model.work();
        double bytes = work.bytes() * (next - 1) / next;
        double wire = bytes / model.link().bytesPerSecond();
        double moving = bytes * model.link().byteSeconds();
        double messages = (double) work.buckets() * (next - 1) * model.link().messageSeconds();
        var reason =
                wire >= moving + messages
                        ? "bytes on the wire (%.3f s each way whatever the number of executors)"
                                .formatted(wire)
                        : messages >= moving
                                ? "messages (%d buckets to each of %d peers, %.3f s of processor time)"
                                        .formatted(work.buckets(), next - 1, messages)
                                : "moving bytes (%.3f s of processor time each way)"
                                        .formatted(moving);
        return best == SHARDS
                ? "It scales at half efficiency or better up to one shard an executor."
                : "Beyond "
                        + best
                        + " executors less than half of each is used: there "
                        + reason
                        + " weigh as much as the computation of a shard.";
    }
}
