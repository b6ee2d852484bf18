package dev.ebb.spark;

import dev.ebb.cpu.Cpu;
import dev.ebb.nn.parallel.Group;
import dev.ebb.nn.parallel.Rank;
import dev.ebb.tensor.Tensor;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.IntFunction;

/**
 * Ranks as threads of this process that make steps together on request. So several programs can be
 * measured in turns, all equally warm.
 */
final class Team implements AutoCloseable {
    private final ExecutorService threads;
    private final List<Member> members;

    /**
     * @param rows of some batches, one after the other
     */
    private record Member(Cpu device, Group group, Rank<?> rank, List<List<Tensor>> rows) {}

    /**
     * @param joining gives each its group: one for all, or one each
     * @param rows of a rank of a group
     */
    Team(
            int size,
            IntFunction<Group> joining,
            BiFunction<Group, Cpu, Rank<?>> making,
            Function<Group, List<List<Tensor>>> rows) {
        threads = Executors.newFixedThreadPool(size);
        var tasks = new ArrayList<Callable<Member>>();
        for (int i = 0; i < size; i++) {
            int number = i;
            tasks.add(
                    () -> {
                        var group = joining.apply(number);
                        var device = new Cpu(1);
                        return new Member(
                                device, group, making.apply(group, device), rows.apply(group));
                    });
        }
        members = all(tasks);
    }

    private <T> List<T> all(List<Callable<T>> tasks) {
        try {
            var found = new ArrayList<T>();
            for (var done : threads.invokeAll(tasks)) found.add(done.get());
            return found;
        } catch (ExecutionException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /**
     * The wall time of a step: from the start of the first rank to the end of the last one, divided
     * by the number of steps.
     */
    double seconds(int steps) {
        var tasks = new ArrayList<Callable<long[]>>();
        for (var member : members) {
            tasks.add(
                    () -> {
                        long start = System.nanoTime();
                        for (int i = 0; i < steps; i++)
                            member.rank.step(member.rows.get(i % member.rows.size()));
                        return new long[] {start, System.nanoTime()};
                    });
        }
        var times = all(tasks);
        long start = times.stream().mapToLong(t -> t[0]).min().orElseThrow();
        long end = times.stream().mapToLong(t -> t[1]).max().orElseThrow();
        return (end - start) / 1e9 / steps;
    }

    /** Makes steps for this many seconds, so that the JIT compiles the program. */
    void warmUp(double seconds) {
        for (double spent = 0; spent < seconds; ) spent += 4 * seconds(4);
    }

    /** The digest of the current weights. */
    String digest() {
        var tasks = new ArrayList<Callable<String>>();
        for (var member : members) tasks.add(member.rank::digest);
        return all(tasks).getFirst();
    }

    @Override
    public void close() {
        members.forEach(m -> m.rank.close());
        members.forEach(m -> m.group.close());
        members.forEach(m -> m.device.close());
        threads.close();
    }
}
