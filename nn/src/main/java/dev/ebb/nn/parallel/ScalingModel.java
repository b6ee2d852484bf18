package dev.ebb.nn.parallel;

/**
 * How long a step of a sharded training takes on so many ranks, from what one rank computes, the
 * bytes and messages between ranks, and what of the exchange runs beside the computation.
 *
 * <p>Two bounds, of which the larger counts. The critical path: a rank gathers the weights,
 * computes its shards, and sends its gradients while the backward pass of its last shard goes on;
 * only what outlasts that pass, and always the last bucket, is waited for. And the processors:
 * ranks that share a machine share its cores, and moving bytes takes processor time too, so the
 * cores of a machine are busy for at least all that its ranks compute and move. On a cluster with a
 * machine for each rank the first bound counts; for ranks on one small machine the second does.
 *
 * @param cores of a machine, as a multiple of what one rank uses when it is alone there: two that
 *     hinder each other are fewer than two
 * @param ranksOfMachine how many ranks may share a machine
 */
public record ScalingModel(Work work, Link link, double cores, int ranksOfMachine) {

    /**
     * What is computed, by one rank with a core or a whole executor, as the times say.
     *
     * @param shardSeconds forwards and backwards for one shard
     * @param updateSeconds of the optimizer for all weights, which ranks share
     * @param backwardShare how much of {@code shardSeconds} the backward pass is
     * @param shards of a batch
     * @param bytes of all weights, and of their gradients
     * @param buckets in which they travel
     */
    public record Work(
            double shardSeconds,
            double updateSeconds,
            double backwardShare,
            int shards,
            double bytes,
            int buckets) {}

    /**
     * What lies between two ranks.
     *
     * @param bytesPerSecond of a rank's connection, each way
     * @param latency seconds until the first byte of an exchange has come
     * @param messageSeconds of processor time for a message, sent and received
     * @param byteSeconds of processor time for a byte, sent and received
     */
    public record Link(
            double bytesPerSecond, double latency, double messageSeconds, double byteSeconds) {}

    /**
     * A step, and what it is made of.
     *
     * @param compute of a rank
     * @param gather of the weights, which the computation waits for
     * @param scatter of the gradients, beside the backward pass
     * @param waited what of {@code scatter} the computation waits for
     * @param processors the bound by the cores of a machine
     */
    public record Step(
            double compute, double gather, double scatter, double waited, double processors) {
        public double seconds() {
            return Math.max(compute + gather + waited, processors);
        }
    }

    public Step step(int ranks) {
        if (ranks < 1 || ranks > work.shards) {
            throw new IllegalArgumentException(
                    ranks + " ranks for " + work.shards + " shards; take one rank a shard at most");
        }
        double own = (double) work.shards / ranks;
        double compute = own * work.shardSeconds + work.updateSeconds / ranks;
        if (ranks == 1) return new Step(compute, 0, 0, 0, compute / Math.max(1, cores));
        double bytes = work.bytes * (ranks - 1) / ranks;
        double messages = (double) work.buckets * (ranks - 1);
        double busy = messages * link.messageSeconds + bytes * link.byteSeconds;
        double exchange = Math.max(bytes / link.bytesPerSecond, busy) + work.buckets * link.latency;
        double beside = work.shardSeconds * work.backwardShare * (work.buckets - 1) / work.buckets;
        double waited = Math.max(exchange - beside, exchange / work.buckets);
        int together = Math.min(ranks, ranksOfMachine);
        return new Step(
                compute, exchange, exchange, waited, together * (compute + 2 * busy) / cores);
    }

    public double seconds(int ranks) {
        return step(ranks).seconds();
    }
}
