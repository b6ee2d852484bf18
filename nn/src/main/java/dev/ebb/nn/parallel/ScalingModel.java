package dev.ebb.nn.parallel;

/**
 * How long a step of a sharded training takes on so many ranks, from what one rank computes, the
 * bytes and messages between ranks, and what of the exchange runs beside the computation.
 *
 * <p>A rank gathers the weights, computes its shards, and sends its gradients while the backward
 * pass of its last shard goes on. It waits for what outlasts that pass, for the last bucket, and
 * for the processor time that messages and bytes take: one thread of the rank does not compute
 * meanwhile. Ranks that share a machine share its cores: where there are more ranks than cores,
 * everything that takes a processor takes longer by that ratio, so four ranks on two cores are no
 * faster than two.
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
     * @param numbers exchanges of a few numbers that all ranks wait for: of the norm, of the loss
     * @param threads with which a rank computes
     */
    public record Work(
            double shardSeconds,
            double updateSeconds,
            double backwardShare,
            int shards,
            double bytes,
            int buckets,
            int numbers,
            int threads) {}

    /**
     * What lies between two ranks.
     *
     * @param bytesPerSecond of a rank's connection, each way
     * @param latency seconds of an exchange in which no processor works for it
     * @param messageSeconds of a rank's processors for a message that is sent and one that comes
     * @param byteSeconds of a rank's processors for a byte that is sent and one that comes
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
     * @param numbers exchanges of a few numbers
     */
    public record Step(
            double compute, double gather, double scatter, double waited, double numbers) {
        public double seconds() {
            return compute + gather + waited + numbers;
        }
    }

    public Step step(int ranks) {
        if (ranks < 1 || ranks > work.shards) {
            throw new IllegalArgumentException(
                    ranks + " ranks for " + work.shards + " shards; take one rank a shard at most");
        }
        double slower = Math.max(1, Math.min(ranks, ranksOfMachine) / cores);
        double own = (double) work.shards / ranks;
        double compute = slower * (own * work.shardSeconds + work.updateSeconds / ranks);
        if (ranks == 1) return new Step(compute, 0, 0, 0, 0);
        double bytes = work.bytes * (ranks - 1) / ranks;
        double message = slower * (ranks - 1) * link.messageSeconds;
        double moving = slower * bytes * link.byteSeconds;
        double exchange =
                work.buckets * (link.latency + message)
                        + Math.max(bytes / link.bytesPerSecond, moving);
        double backward = slower * work.shardSeconds * work.backwardShare;
        double beside = backward * (work.buckets - 1) / work.buckets;
        double last = exchange / work.buckets;
        double busy = (work.buckets * message + moving) / work.threads;
        double waited = Math.max(busy, Math.max(last, exchange - beside));
        return new Step(
                compute, exchange, exchange, waited, work.numbers * (link.latency + message));
    }

    public double seconds(int ranks) {
        return step(ranks).seconds();
    }
}
