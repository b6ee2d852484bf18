package dev.ebb.nn.parallel;

/**
 * Predicts the time of a step of sharded training on a number of ranks, from the computation of one
 * rank, the bytes and messages between ranks, and the part of the communication that overlaps with
 * computation.
 *
 * <p>A rank gathers the weights, computes its shards, and sends its gradients during the backward
 * pass of its last shard. It waits for the transfers that last longer than that pass, for the last
 * bucket, and for the processor time of messages and bytes, during which one thread of the rank
 * does not compute. Ranks on one machine share its cores: if there are more ranks than cores, all
 * work of a processor takes longer by that ratio, so four ranks on two cores are no faster than
 * two.
 *
 * @param cores of a machine, as a multiple of what one rank uses when it is alone: two cores that
 *     slow each other down count as fewer than two
 * @param ranksOfMachine how many ranks may share a machine
 */
public record ScalingModel(Work work, Link link, double cores, int ranksOfMachine) {

    /**
     * The computation of one rank with a core or a whole executor.
     *
     * @param shardSeconds of the forward and backward pass for one shard
     * @param updateSeconds of the optimizer for all weights, which ranks share
     * @param backwardShare the share of the backward pass in {@code shardSeconds}
     * @param shards of a batch
     * @param bytes of all weights, and of their gradients
     * @param buckets in which they are exchanged
     * @param numbers exchanges of a few numbers that all ranks wait for: the norm, the loss
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
     * The connection between two ranks.
     *
     * @param bytesPerSecond of a rank's connection, in each direction
     * @param latency seconds of an exchange in which no processor works for it
     * @param messageSeconds of a rank's processors for one message sent and one received
     * @param byteSeconds of a rank's processors for one byte sent and one received
     */
    public record Link(
            double bytesPerSecond, double latency, double messageSeconds, double byteSeconds) {}

    /**
     * The parts of a step's time.
     *
     * @param compute of a rank
     * @param gather of the weights, for which the computation waits
     * @param scatter of the gradients, during the backward pass
     * @param waited the part of {@code scatter} for which the computation waits
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
