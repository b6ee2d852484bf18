package dev.ebb.cuda;

import dev.ebb.exec.Queue;

import java.util.ArrayList;
import java.util.List;

/**
 * Times of events on a stream, in nanoseconds. The driver gives the time between two events as a
 * float in milliseconds, which is too coarse over hours. So times are counted from a reference
 * event that is replaced from time to time.
 */
final class Clock implements AutoCloseable {
    private static final long AGE = 8_000_000_000L;

    /** A reference event, recorded {@code nanos} nanoseconds after the first one. */
    private record Start(long event, long nanos) {}

    private final Streams streams;
    private final long stream;
    private final List<Long> events = new ArrayList<>();
    private Start start;
    private long made = System.nanoTime();

    Clock(Streams streams, long stream) {
        this.streams = streams;
        this.stream = stream;
        start = new Start(next(), 0);
    }

    private long next() {
        long event = streams.event();
        events.add(event);
        streams.record(event, stream);
        return event;
    }

    /** All work has run: a good moment for a new reference event. */
    synchronized void idle() {
        if (System.nanoTime() - made < AGE) return;
        long event = next();
        streams.waitForEvent(event);
        start = new Start(event, start.nanos() + nanos(start.event(), event));
        made = System.nanoTime();
    }

    private long nanos(long from, long to) {
        return Math.round(streams.elapsed(from, to) * 1e6);
    }

    /** An event on this clock's stream; {@code enter} runs before every call of the driver. */
    Queue.Event event(Runnable enter) {
        return new Moment(enter);
    }

    private final class Moment implements Queue.Event {
        private final Runnable enter;
        private long event;
        private Start since = start;

        Moment(Runnable enter) {
            this.enter = enter;
        }

        @Override
        public void mark() {
            synchronized (Clock.this) {
                enter.run();
                since = start;
                if (event == 0) {
                    event = next();
                } else {
                    streams.record(event, stream);
                }
            }
        }

        @Override
        public long nanos() {
            if (event == 0) return since.nanos();
            enter.run();
            streams.waitForEvent(event);
            return since.nanos() + Clock.this.nanos(since.event(), event);
        }
    }

    @Override
    public void close() {
        events.forEach(streams::destroyEvent);
        events.clear();
    }
}
