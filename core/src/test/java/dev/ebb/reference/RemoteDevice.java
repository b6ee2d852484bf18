package dev.ebb.reference;

import dev.ebb.exec.Device;
import dev.ebb.exec.HostPool;
import dev.ebb.exec.Queue;
import dev.ebb.exec.reference.Reference;
import dev.ebb.ir.Buffer;
import dev.ebb.ir.FusionLimits;
import dev.ebb.ir.Memory;
import dev.ebb.ir.Node;
import dev.ebb.plan.Threads;
import dev.ebb.plan.schedule.Cost;
import dev.ebb.plan.schedule.Host;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntToLongFunction;

/**
 * A device as far from the host as a GPU is: its memory cannot be touched by Java, and its queue
 * runs on a thread of its own, which pauses at random. The kernels are another device's, so that
 * its bits must be that device's. It counts what crosses between the host and its memory.
 */
public final class RemoteDevice implements Device {
    /** An address that is no address of the host. */
    private static final long FIRST_ADDRESS = 0x7000_0000_0000_0000L;

    private final Device kernels;
    private final AtomicLong nextAddress = new AtomicLong(FIRST_ADDRESS);
    private final AtomicLong opened = new AtomicLong();
    private final AtomicLong reads = new AtomicLong();
    private final AtomicLong writes = new AtomicLong();

    /** With the kernels of the Reference device. */
    public RemoteDevice() {
        this(new Reference());
    }

    public RemoteDevice(Device kernels) {
        this.kernels = kernels;
    }

    /** A device with these kernels: remote if {@code other} is, and else the kernels' own. */
    public static Device like(Device other, Device kernels) {
        return other instanceof RemoteDevice ? new RemoteDevice(kernels) : kernels;
    }

    @Override
    public String name() {
        return "remote " + kernels.name();
    }

    @Override
    public long workspaceBytes(Node node) {
        return kernels.workspaceBytes(node);
    }

    @Override
    public Threads threads() {
        return kernels.threads();
    }

    @Override
    public IntToLongFunction ownBytes(List<Node> nodes) {
        return kernels.ownBytes(nodes);
    }

    @Override
    public long mostOwnBytes(int workers) {
        return kernels.mostOwnBytes(workers);
    }

    @Override
    public int cutEvery(Node node, int axis) {
        return kernels.cutEvery(node, axis);
    }

    @Override
    public String signature() {
        return "remote " + kernels.signature();
    }

    @Override
    public FusionLimits fusion() {
        return kernels.fusion();
    }

    @Override
    public Cost cost() {
        return kernels.cost();
    }

    @Override
    public boolean isHost() {
        return false;
    }

    @Override
    public Queue open() {
        return new RemoteQueue(kernels.open(), new Random(opened.getAndIncrement()));
    }

    /** How often the host has read from this device's memory. */
    public long reads() {
        return reads.get();
    }

    /** How often the host has written into this device's memory. */
    public long writes() {
        return writes.get();
    }

    /** Memory that has an address, and bytes that only the device's own thread knows. */
    private record Far(long address, Memory hidden) implements Memory {
        @Override
        public long bytes() {
            return hidden.bytes();
        }

        @Override
        public Memory slice(long offset, long bytes) {
            return new Far(address + offset, hidden.slice(offset, bytes));
        }

        @Override
        public MemorySegment segment() {
            throw new IllegalStateException("this memory is not the host's: read it by its queue");
        }
    }

    private static Memory hidden(Memory memory) {
        if (memory instanceof Far(_, var hidden)) return hidden;
        throw new IllegalArgumentException("the host's memory is given to another device");
    }

    private static Buffer hidden(Buffer buffer) {
        return new Buffer(buffer.dtype(), buffer.size(), hidden(buffer.memory()));
    }

    private final class RemoteQueue implements Queue {
        private final Queue inner;
        private final Random random;
        private final RemoteStream stream;
        private Optional<RuntimeException> failure = Optional.empty();

        /** What a run puts on the queue, while it is recorded. */
        private Optional<List<Runnable>> recording = Optional.empty();

        RemoteQueue(Queue inner, Random random) {
            this.inner = inner;
            this.random = random;
            stream = new RemoteStream("remote-queue", new Random(random.nextLong()));
        }

        @Override
        public IntToLongFunction ownBytes(List<Node> nodes) {
            return inner.ownBytes(nodes);
        }

        @Override
        public void reserve(List<Node> nodes, int workers) {
            inner.reserve(nodes, workers);
        }

        /** Work after a failure is dropped until the run ends. */
        private void put(Runnable body) {
            if (stream.isClosed()) throw new IllegalStateException("this queue is closed");
            var kept = unlessFailed(body);
            if (recording.isPresent()) recording.get().add(kept);
            else stream.add(kept);
        }

        private Runnable unlessFailed(Runnable body) {
            return () -> {
                if (failure.isPresent()) return;
                try {
                    body.run();
                } catch (RuntimeException e) {
                    failure = Optional.of(e);
                }
            };
        }

        private void notRecording(String what) {
            if (recording.isPresent())
                throw new IllegalStateException("the host " + what + " while a run is recorded");
        }

        /** Recorded when first run. */
        @Override
        public Optional<Runnable> recorded(Runnable run) {
            var recorded = new ArrayList<Runnable>();
            return Optional.of(
                    () -> {
                        if (recorded.isEmpty()) {
                            recording = Optional.of(recorded);
                            try {
                                run.run();
                            } catch (RuntimeException | Error e) {
                                recorded.clear();
                                throw e;
                            } finally {
                                recording = Optional.empty();
                            }
                        }
                        recorded.forEach(stream::add);
                    });
        }

        private void await(Runnable last, boolean endsRun) {
            notRecording("waits");
            put(last);
            var done = new CompletableFuture<Optional<RuntimeException>>();
            stream.add(
                    () -> {
                        done.complete(failure);
                        if (endsRun) failure = Optional.empty();
                    });
            var failed = done.join();
            if (failed.isPresent()) throw failed.get();
        }

        @Override
        public Allocation allocate(long bytes) {
            var there = inner.allocate(bytes);
            long address = nextAddress.getAndAdd(Math.ceilDiv(bytes, 64) * 64 + 64);
            var memory = new Far(address, there.memory());
            return new Allocation() {
                @Override
                public Memory memory() {
                    return memory;
                }

                @Override
                public void close() {
                    there.close();
                }
            };
        }

        @Override
        public Runnable bind(Node node, List<Buffer> in, List<Buffer> out, Buffer workspace) {
            var body =
                    inner.bind(
                            node,
                            in.stream().map(RemoteDevice::hidden).toList(),
                            out.stream().map(RemoteDevice::hidden).toList(),
                            hidden(workspace));
            return () -> put(body);
        }

        @Override
        public void copy(Memory from, Memory to) {
            var source = hidden(from);
            var target = hidden(to);
            put(() -> inner.copy(source, target));
        }

        @Override
        public void clear(Memory memory) {
            var target = hidden(memory);
            put(() -> inner.clear(target));
        }

        @Override
        public void write(MemorySegment from, Memory to) {
            notRecording("writes");
            writes.incrementAndGet();
            var copy = MemorySegment.ofArray(new byte[Math.toIntExact(from.byteSize())]);
            copy.copyFrom(from);
            var target = hidden(to);
            put(() -> inner.write(copy, target));
        }

        @Override
        public void read(Memory from, MemorySegment to) {
            reads.incrementAndGet();
            var source = hidden(from);
            await(() -> inner.read(source, to), false);
        }

        @Override
        public void finish() {
            await(() -> {}, true);
        }

        @Override
        public Event event() {
            var moment = inner.event();
            return new Event() {
                private CompletableFuture<Long> reached = CompletableFuture.completedFuture(0L);

                @Override
                public void mark() {
                    notRecording("marks a moment");
                    var next = new CompletableFuture<Long>();
                    reached = next;
                    stream.add(
                            () -> {
                                moment.mark();
                                next.complete(moment.nanos());
                            });
                }

                @Override
                public long nanos() {
                    return reached.join();
                }
            };
        }

        @Override
        public HostPool hostPool(Host.Kind kind, long bytes) {
            return switch (kind) {
                case PAGEABLE -> Queue.super.hostPool(kind, bytes);
                case PINNED -> new RemotePool(new Copier(), bytes, random);
            };
        }

        private final class Copier implements RemotePool.Owner {
            @Override
            public void put(Runnable body) {
                if (recording.isPresent()) recording.get().add(body);
                else stream.add(body);
            }

            @Override
            public void drain() {
                stream.drain();
            }

            @Override
            public void copyOut(Memory from, MemorySegment to) {
                inner.read(hidden(from), to);
            }

            @Override
            public void copyIn(MemorySegment from, Memory to) {
                inner.write(from, hidden(to));
            }
        }

        @Override
        public void close() {
            if (stream.isClosed()) return;
            notRecording("closes");
            stream.close();
            inner.close();
        }
    }
}
